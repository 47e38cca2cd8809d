//! The lecture's data, where they are.
