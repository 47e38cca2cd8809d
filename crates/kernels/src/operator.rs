//! The kernel matrix of a set of rows as a linear operator: applied in tiles, never stored.

use std::sync::Arc;

use linalg_cg::LinearOperator;
use ndarray::{Array2, ArrayRef2, Axis};

use crate::block::Block;
use crate::contract::add_all;
use crate::dense::par_rows;
use crate::kernel::Kernel;
use crate::multiply::{Mirror, Multiply, Outer};
use crate::points::Inputs;
use crate::prepared::{PreparedKernel, Scratch};
use crate::simd::{LANES, Pack, Simd, Square};
use crate::single::{self, PreparedSingle};
use crate::stored::{Costs, Store, Stored};
use crate::tiles::{Cover, TILE, Tile, for_each_pair};

/// Runs of tiles of a gradient, whose results are small.
const STRIPES: usize = 64;
/// Right-hand sides that share one pass over the tiles; more take further passes.
const PANEL: usize = 64;

/// The covariance of N rows with a multiple of the identity, as a symmetric linear operator.
///
/// ```text
/// K = k(X, X) + shift I
/// ```
///
/// Half of the tiles are formed, used for both triangles and thrown away: `O(N² D)` time, `16 N C`
/// bytes beside the inputs for C right-hand sides (at most 64 at a time).
/// Tiles are added in a fixed order: the same bits for any number of threads, and for a column the
/// same bits whatever other columns come with it.
///
/// ```
/// use kernels::{KernelOperator, SquaredExponential};
/// use linalg_cg::LinearOperator;
/// use ndarray::array;
///
/// let kernel = SquaredExponential::new(vec![1.0], 2.0)?;
/// let x = array![[0.0], [0.0], [50.0]];
/// let operator = KernelOperator::new(&kernel, &x, 0.5);
/// assert_eq!(operator.apply_vec(&array![1.0, 1.0, 1.0]), array![4.5, 4.5, 2.5]);
/// # Ok::<(), kernels::KernelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct KernelOperator<'a> {
    kernel: &'a dyn Kernel,
    x: &'a ArrayRef2<f64>,
    diagonal_shift: f64,
    prepared: Arc<dyn PreparedKernel>,
    stored: Option<Arc<Stored>>,
    single: Option<Arc<dyn PreparedSingle>>,
    simd: Simd,
}

impl<'a> KernelOperator<'a> {
    /// The operator over the rows of `x [N, D]`; `diagonal_shift` is the noise variance plus the
    /// kernel's [`white_variance`](Kernel::white_variance), which blocks leave out.
    ///
    /// # Panics
    /// When the kernel does not fit the columns of `x` (see [`Kernel::check_columns`]).
    #[must_use]
    pub fn new(kernel: &'a dyn Kernel, x: &'a ArrayRef2<f64>, diagonal_shift: f64) -> Self {
        Self::with_simd(kernel, x, diagonal_shift, Simd::detect())
    }

    /// [`KernelOperator::new`] with instructions other than those detected.
    ///
    /// # Panics
    /// As [`KernelOperator::new`].
    #[must_use]
    pub fn with_simd(
        kernel: &'a dyn Kernel,
        x: &'a ArrayRef2<f64>,
        diagonal_shift: f64,
        simd: Simd,
    ) -> Self {
        assert!(
            kernel.check_columns(x.ncols()).is_ok(),
            "the kernel does not fit {} columns",
            x.ncols()
        );
        // Differences first: bounds rest on products, and count on entries good to a few ulp.
        let prepared = kernel.prepare(&Inputs::square(x, simd)).into();
        Self { kernel, x, diagonal_shift, prepared, stored: None, single: None, simd }
    }

    /// The operator with its tiles kept in memory if [`Store`] says so and they fit `budget`
    /// bytes: for many products with the same operator, as in conjugate gradients. Products have
    /// the same bits with and without; gradients are as before.
    ///
    /// Needs [`bytes_to_store`](Self::bytes_to_store), about `4 N²`.
    #[must_use]
    pub fn store(mut self, store: Store, budget: u64) -> Self {
        let wanted = match store {
            _ if self.bytes_to_store() > budget => false,
            Store::Never => false,
            Store::IfItFits => true,
            Store::IfItPays { products } => {
                products > 1 && Costs::measure(self.prepared.as_ref(), self.n()).pays(products)
            }
        };
        self.stored = wanted.then(|| Arc::new(Stored::new(self.prepared.as_ref(), self.n())));
        self
    }

    /// Bytes the tiles take when they are kept.
    #[must_use]
    pub fn bytes_to_store(&self) -> u64 {
        Stored::bytes(self.n())
    }

    /// Whether the tiles are kept.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// The operator with products in single precision where conjugate gradients search: in
    /// [`apply_search`](LinearOperator::apply_search) alone. Residuals, gradients and whatever a
    /// bound is made of stay in double precision.
    ///
    /// For stationary, constant and white kernels, their sums and products, of which all rows but
    /// one in a hundred are within some 30 lengthscales of their median; others search in double precision as before (see
    /// [`searches_in_single_precision`](Self::searches_in_single_precision)), and so do operators
    /// whose tiles are stored. Memory: `4 N D` bytes for the rows, and `12 N C` for C right-hand sides.
    #[must_use]
    pub fn search_in_single_precision(mut self) -> Self {
        let inputs = Inputs::square(self.x, self.simd).scaled_once();
        self.single = self.kernel.prepare_single(&inputs).map(Arc::from);
        self
    }

    /// Whether conjugate gradients search in single precision.
    #[must_use]
    pub fn searches_in_single_precision(&self) -> bool {
        self.single.is_some() && self.stored.is_none()
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &'a dyn Kernel {
        self.kernel
    }

    /// The rows, `[N, D]`.
    #[must_use]
    pub fn x(&self) -> &'a ArrayRef2<f64> {
        self.x
    }

    /// What is added to the diagonal.
    #[must_use]
    pub fn diagonal_shift(&self) -> f64 {
        self.diagonal_shift
    }

    /// The gradient of bilinear forms in the kernel matrix, in one pass over its tiles.
    ///
    /// ```text
    /// g_p = Σ_c u_cᵀ (∂k(X, X)/∂log θ_p) v_c
    /// ```
    ///
    /// `u`, `v` are `[N, C]`; one entry for each of the kernel's parameters, in their order. The
    /// shift is not part of it: the entry of a white kernel is 0, and comes from
    /// [`Kernel::accumulate_white_gradient`].
    ///
    /// # Panics
    /// When `u` and `v` do not both have N rows and the same number of columns.
    #[must_use]
    pub fn gradient_product(&self, u: &ArrayRef2<f64>, v: &ArrayRef2<f64>) -> Vec<f64> {
        self.assert_rows(u);
        assert!(u.dim() == v.dim(), "gradient_product: u is {:?}, v is {:?}", u.dim(), v.dim());
        let n_parameters = self.kernel.parameters().len();
        let (u, v) = (Block::of(u), Block::of(v));
        // Gradients certify nothing: the last digits that scaling once costs may go.
        let prepared = self.kernel.prepare(&Inputs::square(self.x, self.simd).scaled_once());
        let start = || (vec![0.0; n_parameters], Scratch::default());
        let visit = |partial: &mut (Vec<f64>, Scratch), tile: &Tile| {
            self.add_gradient(prepared.as_ref(), tile, [&u, &v], &mut partial.0, &mut partial.1);
        };
        let add = |(sums, scratch), (next, _)| (add_all(sums, next), scratch);
        self.cover().reduce(STRIPES, start, visit, add).0
    }

    /// Adds the part of one tile and of its mirror image, where `∂k(x, x') = ∂k(x', x)`.
    fn add_gradient(
        &self,
        prepared: &dyn PreparedKernel,
        tile: &Tile,
        [u, v]: [&Block; 2],
        grad: &mut [f64],
        scratch: &mut Scratch,
    ) {
        for strip in tile.upper_strips() {
            let mut weights = scratch.take(strip.columns.len());
            self.simd.run(Outer { strip: &strip, u, v, weights: &mut weights });
            prepared.add_gradient(&strip, &weights, grad, scratch);
            scratch.give(weights);
        }
    }

    /// `k(X, X) V` for a panel of right-hand sides, `v` and the result by the rows of tiles.
    fn product(&self, v: &[Block]) -> Vec<Block> {
        let zeros = |v: &Block| Block { packs: vec![Pack::ZERO; v.packs.len()], ..*v };
        let mut y: Vec<Block> = v.iter().map(zeros).collect();
        for_each_pair(&mut y, |(i, here): (usize, &mut Block), there| match there {
            Some((j, there)) => {
                self.add_product(&Tile::at(i, j, self.n()), [&v[i], &v[j]], here, Some(there))
            }
            None => self.add_product(&Tile::at(i, i, self.n()), [&v[i]; 2], here, None),
        });
        y
    }

    /// Adds the part of one tile and of its mirror image to the results at its rows and at its
    /// columns, which are the same on the diagonal.
    fn add_product(
        &self,
        tile: &Tile,
        [v_here, v]: [&Block; 2],
        here: &mut Block,
        mut there: Option<&mut Block>,
    ) {
        let mut scratch = Scratch::default();
        let mut stored = self.stored.as_ref().map(|stored| stored.tile(tile));
        let (top, start) = (tile.rows.start / LANES, tile.columns.start / LANES);
        for strip in tile.upper_strips() {
            let (row, first) = (strip.rows - top, strip.columns.start - start);
            let (y, opposite) = match &mut there {
                Some(there) => (Some(&mut *here), &mut **there),
                None => (None, &mut *here),
            };
            let mirror = Some(Mirror { v: v_here, diagonal: y.is_none(), y: opposite });
            let multiply = |k: &[Square]| self.simd.run(Multiply { k, v, first, y, row, mirror });
            if let Some(squares) = &mut stored {
                let (k, rest) = squares.split_at(strip.columns.len());
                *squares = rest;
                multiply(k);
            } else {
                let mut k = scratch.take(strip.columns.len());
                self.prepared.fill(&strip, &mut k, &mut scratch);
                multiply(&k);
                scratch.give(k);
            }
        }
    }

    /// The shift, and a product with `k(X, X)` for each panel of right-hand sides.
    fn apply_with(
        &self,
        v: &ArrayRef2<f64>,
        product: impl Fn(&ArrayRef2<f64>, &mut ArrayRef2<f64>),
    ) -> Array2<f64> {
        self.assert_rows(v);
        let mut result = Array2::zeros(v.dim());
        let targets = result.axis_chunks_iter_mut(Axis(1), PANEL);
        for (mut target, panel) in targets.zip(v.axis_chunks_iter(Axis(1), PANEL)) {
            product(&panel, &mut target);
        }
        result.scaled_add(self.diagonal_shift, v);
        result
    }

    fn cover(&self) -> Cover {
        Cover::Upper { n: self.n() }
    }

    fn assert_rows(&self, v: &ArrayRef2<f64>) {
        assert!(
            v.nrows() == self.n(),
            "{} rows times an operator of order {}",
            v.nrows(),
            self.n()
        );
    }
}

impl LinearOperator for KernelOperator<'_> {
    fn n(&self) -> usize {
        self.x.nrows()
    }

    fn apply(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        self.apply_with(v, |panel, target| {
            let product = self.product(&Block::tiles(panel));
            par_rows(target, TILE, |first, mut rows| product[first / TILE].write(&mut rows));
        })
    }

    fn apply_search(&self, v: &ArrayRef2<f64>) -> Array2<f64> {
        // Reading stored tiles is as fast as forming them in single precision.
        let (Some(kernel), None) = (&self.single, &self.stored) else { return self.apply(v) };
        self.apply_with(v, |panel, target| {
            let product = single::product(kernel.as_ref(), panel, self.simd);
            par_rows(target, TILE, |first, mut rows| product[first / TILE].write(&mut rows));
        })
    }
}
