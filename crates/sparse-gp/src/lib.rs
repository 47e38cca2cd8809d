//! sparse-gp
