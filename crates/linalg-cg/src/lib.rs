//! linalg-cg
