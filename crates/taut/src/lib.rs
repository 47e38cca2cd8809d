//! taut
