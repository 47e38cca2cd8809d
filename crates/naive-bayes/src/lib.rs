//! naive-bayes
