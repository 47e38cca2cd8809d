//! exact-gp
