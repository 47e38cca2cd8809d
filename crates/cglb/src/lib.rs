//! cglb
