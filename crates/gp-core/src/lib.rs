//! gp-core
