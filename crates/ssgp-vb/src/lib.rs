//! ssgp-vb
