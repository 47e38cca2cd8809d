#![doc = include_str!("../README.md")]

mod blas;
mod check;
mod cholesky;
mod eigen;
mod error;
mod factor;
mod inverse;
mod operator;
mod partition;
mod preconditioner;
mod product;
mod tiles;
mod triangular;

pub use cholesky::Cholesky;
pub use eigen::{symmetric_eigen, symmetric_eigenvalues};
pub use error::LinalgError;
pub use operator::{DenseOperator, LinearOperator};
pub use partition::{Shards, map_rows, reduce_rows};
pub use preconditioner::{Diagonal, Preconditioner, ScaledIdentity};
pub use product::{gram, matmul, matmul_nt, matmul_tn};
