//! Public behaviour of `sparse-gp`.

#![allow(missing_docs)]

mod greedy;
