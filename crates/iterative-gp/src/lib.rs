//! iterative-gp
