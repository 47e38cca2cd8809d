#![doc = include_str!("../README.md")]

mod blas;
mod cg;
mod check;
mod cholesky;
mod eigen;
mod error;
mod factor;
mod inverse;
mod lanczos;
mod operator;
mod partition;
mod pivoted;
mod preconditioner;
mod product;
mod tiles;
mod triangular;
mod tridiagonal;
mod woodbury;

pub use blas::zeros;
pub use cg::{
    CgBlockSolution, CgOptions, CgProgress, CgReport, CgSolution, Restart, Stop, StopReason, cg,
    cg_block, cg_block_watched,
};
pub use cholesky::Cholesky;
pub use eigen::{symmetric_eigen, symmetric_eigenvalues};
pub use error::LinalgError;
pub use lanczos::{
    KrylovBasis, LanczosOptions, LanczosReport, LanczosSolution, cg_lanczos, cg_lanczos_watched,
    krylov_basis,
};
pub use operator::{DenseOperator, LinearOperator};
pub use partition::{Shards, map_rows, reduce_rows};
pub use pivoted::{PivotedCholesky, pivoted_cholesky};
pub use preconditioner::{Diagonal, Preconditioner, ScaledIdentity};
pub use product::{gram, matmul, matmul_nt, matmul_tn};
pub use tridiagonal::{QuadratureRule, Tridiagonal};
pub use woodbury::LowRankPlusDiagonal;
