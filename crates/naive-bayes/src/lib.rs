#![doc = include_str!("../README.md")]

mod error;

pub use error::NaiveBayesError;
