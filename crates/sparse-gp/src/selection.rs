//! Where inducing points come from: one file for each way.

mod given;
mod greedy;
mod kmeans;
mod random;

use gp_core::GpError;
use kernels::Kernel;
use ndarray::{Array2, ArrayRef2, Axis};

pub use greedy::{Selection, greedy_conditional_variance};
pub use kmeans::k_means;
pub use random::random_points;

/// Most numbers in the factor of greedy selection (half a gigabyte); beyond it, rows are drawn.
const GREEDY_NUMBERS: usize = 1 << 26;
/// Most rows k-means looks at; beyond it, rows are drawn.
const K_MEANS_ROWS: usize = 100_000;

/// How inducing points are chosen.
///
/// | way | what it does |
/// | --- | --- |
/// | `Greedy` | rows of largest conditional variance: [`greedy_conditional_variance`] |
/// | `KMeans` | centres of the inputs: [`k_means`] |
/// | `Random` | distinct rows: [`random_points`] |
/// | `Given` | these points, all of them, in any number |
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Selector {
    /// Rows of largest conditional variance, at the kernel training starts from.
    #[default]
    Greedy,
    /// Centres of k-means on the inputs.
    KMeans,
    /// Rows drawn at random.
    Random,
    /// Points `[M, D]` known already.
    Given(Array2<f64>),
}

/// What a selection did differently than asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// More inducing points than training rows bring nothing: as many as rows were taken.
    MoreThanRows {
        /// How many were asked for.
        asked: usize,
        /// How many training rows there are.
        n: usize,
    },
    /// Rows that repeat, or that the others determine, leave nothing for more points to explain.
    FewerDistinct {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        chosen: usize,
    },
    /// The choice was made among rows drawn at random, to bound its cost.
    AmongRows {
        /// How many rows were drawn.
        rows: usize,
        /// How many training rows there are.
        n: usize,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MoreThanRows { asked, n } => {
                write!(f, "{asked} inducing points asked for {n} rows: {n} are used")
            }
            Self::FewerDistinct { asked, chosen } => {
                write!(f, "{chosen} inducing points instead of {asked} explain every row")
            }
            Self::AmongRows { rows, n } => {
                write!(f, "inducing points chosen among {rows} rows of {n}, drawn at random")
            }
        }
    }
}

/// Inducing points and what is to be said about them.
#[derive(Debug, Clone, PartialEq)]
pub struct InducingPoints {
    /// `[M, D]`.
    pub z: Array2<f64>,
    /// What was done differently than asked.
    pub notices: Vec<Notice>,
}

impl Selector {
    /// Chooses `m` points for the rows of `x` `[N, D]`; `seed` draws what is drawn.
    ///
    /// ```
    /// use kernels::Matern32;
    /// use ndarray::Array2;
    /// use sparse_gp::{Notice, Selector};
    ///
    /// let x = Array2::from_shape_fn((5, 1), |(i, _)| i as f64);
    /// let kernel = Matern32::new(vec![1.0], 1.0)?;
    /// let chosen = Selector::Greedy.choose(&kernel, &x, 9, 0)?;
    /// assert_eq!(chosen.z.nrows(), 5);
    /// assert_eq!(chosen.notices, [Notice::MoreThanRows { asked: 9, n: 5 }]);
    /// # Ok::<(), sparse_gp::GpError>(())
    /// ```
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] and [`GpError::NotFinite`] for given points that do not fit `x`,
    /// [`GpError::Kernel`] for a kernel that does not.
    pub fn choose(
        &self,
        kernel: &dyn Kernel,
        x: &ArrayRef2<f64>,
        m: usize,
        seed: u64,
    ) -> Result<InducingPoints, GpError> {
        kernel.check_columns(x.ncols())?;
        if let Self::Given(z) = self {
            return given::given_points(z, x.ncols());
        }
        let (n, mut notices) = (x.nrows(), Vec::new());
        if m > n {
            notices.push(Notice::MoreThanRows { asked: m, n });
        }
        let m = m.min(n);
        let most = match self {
            Self::Greedy => (GREEDY_NUMBERS / m.max(1)).max(m),
            Self::KMeans => K_MEANS_ROWS.max(m),
            _ => n,
        };
        let z = if most < n {
            notices.push(Notice::AmongRows { rows: most, n });
            let rows = gp_core::random_rows(n, most, seed);
            self.points(kernel, &x.select(Axis(0), &rows), m, seed)
        } else {
            self.points(kernel, x, m, seed)
        };
        if z.nrows() < m {
            notices.push(Notice::FewerDistinct { asked: m, chosen: z.nrows() });
        }
        Ok(InducingPoints { z, notices })
    }

    fn points(&self, kernel: &dyn Kernel, x: &ArrayRef2<f64>, m: usize, seed: u64) -> Array2<f64> {
        match self {
            Self::Greedy => x.select(Axis(0), &greedy_conditional_variance(kernel, x, m).rows),
            Self::KMeans => k_means(x, m, seed),
            Self::Random => random_points(x, m, seed),
            Self::Given(z) => z.clone(),
        }
    }
}
