#![doc = include_str!("../README.md")]

mod active_dims;
mod catalogue;
mod columns;
mod constant;
mod dense;
mod error;
mod kernel;
mod linear;
mod matern12;
mod matern32;
mod matern52;
mod mean;
mod operator;
mod periodic;
mod product;
mod rational_quadratic;
mod spec;
mod squared_exponential;
mod stationary;
mod sum;
mod terms;
mod tiles;
mod white;

pub use active_dims::ActiveDims;
pub use catalogue::catalogue;
pub use constant::Constant;
pub use dense::{
    contract_gradient, contract_input_gradient, contract_symmetric_gradient, cross_product,
    gram_matrix, kernel_matrix,
};
pub use error::KernelError;
pub use kernel::{Kernel, Parameter};
pub use linear::Linear;
pub use matern12::{Matern12, Matern12Profile};
pub use matern32::{Matern32, Matern32Profile};
pub use matern52::{Matern52, Matern52Profile};
pub use mean::Mean;
pub use operator::KernelOperator;
pub use periodic::Periodic;
pub use product::Product;
pub use rational_quadratic::{RationalQuadratic, RationalQuadraticProfile};
pub use spec::{KernelSpec, StationarySpec};
pub use squared_exponential::{SquaredExponential, SquaredExponentialProfile};
pub use stationary::{RadialProfile, Stationary};
pub use sum::Sum;
pub use white::White;
