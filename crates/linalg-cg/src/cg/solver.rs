//! The run: columns in step with each other, sharing products and preconditioner solves.

use std::ops::ControlFlow;

use ndarray::{Array1, Array2, ArrayRef2, Axis};

use super::column::Column;
use super::options::{CgOptions, CgProgress};
use super::report::CgBlockSolution;
use super::stop::Stop;
use crate::operator::LinearOperator;
use crate::preconditioner::Preconditioner;

/// What does not change during a run.
pub(super) struct System<'a> {
    pub(super) op: &'a dyn LinearOperator,
    pub(super) rhs: &'a ArrayRef2<f64>,
    pub(super) preconditioner: &'a dyn Preconditioner,
    pub(super) stop: &'a Stop<'a>,
    pub(super) options: &'a CgOptions,
    pub(super) watch: &'a dyn Fn(&CgProgress) -> ControlFlow<()>,
}

pub(super) struct Solver<'a> {
    system: System<'a>,
    rhs_norms: Vec<f64>,
    columns: Vec<Column>,
    n_products: usize,
}

impl<'a> Solver<'a> {
    pub(super) fn new(system: System<'a>, start: Option<&ArrayRef2<f64>>) -> Self {
        let norms = system.rhs.axis_iter(Axis(1)).map(|b| b.dot(&b).sqrt()).collect();
        let mut solver = Self { system, rhs_norms: norms, columns: Vec::new(), n_products: 0 };
        let rhs = solver.system.rhs.to_owned();
        let (v, r) = match start {
            Some(start) => (start.to_owned(), rhs - solver.multiply(start)),
            None => (Array2::zeros(rhs.dim()), rhs),
        };
        let pairs = v.axis_iter(Axis(1)).zip(r.axis_iter(Axis(1)));
        solver.columns = pairs.map(|(v, r)| Column::new(v.to_owned(), r.to_owned())).collect();
        solver
    }

    pub(super) fn run(mut self) -> CgBlockSolution {
        let mut active: Vec<usize> = (0..self.columns.len()).collect();
        while !active.is_empty() {
            let claims = self.judge(&active);
            self.confirm(&claims);
            active.retain(|&index| self.columns[index].is_active());
            if self.interrupted(&active) {
                break;
            }
            self.step(&active);
            active.retain(|&index| self.columns[index].is_active());
            self.refresh_if_due(&active);
        }
        self.settle();
        self.into_solution()
    }

    /// Measures `which` columns and ends those that are done. Returns those that claim so by a
    /// recursive residual.
    fn judge(&mut self, which: &[usize]) -> Vec<usize> {
        let r = self.gather(which, |column| &column.current.r);
        let z = self.system.preconditioner.solve(&r);
        let measures = self.measure(which, &r, &z);
        let (tolerance, options) = (self.system.stop.tolerance(), self.system.options);
        let mut claims = Vec::new();
        for ((&index, z), measure) in which.iter().zip(z.axis_iter(Axis(1))).zip(measures) {
            if self.columns[index].judge(measure, &z, tolerance, options) {
                claims.push(index);
            } else {
                self.compare_form(index, measure);
            }
        }
        claims
    }

    /// Half the quadratic bound `vᵀAv + 2rᵀv + rᵀP⁻¹r = vᵀ(b + r) + rᵀP⁻¹r` of a column: unlike the
    /// measure it takes part in what the residual is worth in A's own norm.
    fn compare_form(&mut self, index: usize, measure: f64) {
        if !matches!(self.system.stop, Stop::QuadraticSlack { .. }) {
            return;
        }
        let current = &self.columns[index].current;
        let base = current.v.dot(&self.system.rhs.column(index)) + current.v.dot(&current.r);
        self.columns[index].remember_form(0.5 * base + measure);
    }

    /// The stopping measures: for recursive residuals the cheap form will do.
    fn measure(&self, which: &[usize], r: &Array2<f64>, z: &Array2<f64>) -> Array1<f64> {
        let (stop, norms) = (self.system.stop, self.norms(which));
        let exact = which.iter().all(|&index| self.columns[index].current.exact);
        if !exact && stop.is_measured_by(self.system.preconditioner) {
            return 0.5 * (r * z).sum_axis(Axis(0));
        }
        stop.measure(r, &norms)
    }

    /// Judges again, by their true residuals, the columns that claim to have converged.
    fn confirm(&mut self, claims: &[usize]) {
        if claims.is_empty() {
            return;
        }
        self.refresh(claims, true);
        self.judge(claims);
        for &index in claims {
            if self.columns[index].is_active() {
                self.columns[index].deny_claim();
            }
        }
    }

    fn step(&mut self, active: &[usize]) {
        if active.is_empty() {
            return;
        }
        active.iter().for_each(|&index| self.columns[index].turn());
        let directions = self.gather(active, |column| &column.direction);
        self.n_products += directions.ncols();
        let products = self.system.op.apply_search(&directions);
        for (&index, product) in active.iter().zip(products.axis_iter(Axis(1))) {
            self.columns[index].advance(&product);
        }
    }

    fn refresh_if_due(&mut self, active: &[usize]) {
        // Active columns have all taken the same number of steps.
        let Some(&first) = active.first() else { return };
        let every = self.system.options.restart_every;
        if every > 0 && self.columns[first].steps().is_multiple_of(every) {
            self.refresh(active, false);
        }
    }

    /// Computes true residuals, and puts them in place where needed, or in any case (`replace`).
    fn refresh(&mut self, which: &[usize], replace: bool) {
        let residuals = self.residuals(which, |column| &column.current.v);
        let policy = self.system.options.restart;
        for (&index, residual) in which.iter().zip(residuals.axis_iter(Axis(1))) {
            self.columns[index].refresh(residual.to_owned(), policy, replace);
        }
    }

    /// Whether who watches says that what is active ends here.
    fn interrupted(&mut self, active: &[usize]) -> bool {
        let Some(&first) = active.first() else { return false };
        let measures = active.iter().map(|&index| self.columns[index].measure());
        let progress = CgProgress {
            steps: self.columns[first].steps(),
            n_active: active.len(),
            worst_measure: measures.fold(0.0, f64::max),
        };
        (self.system.watch)(&progress).is_break()
    }

    /// Gives every best iterate whose residual is recursive its true one.
    fn settle(&mut self) {
        let which: Vec<usize> =
            (0..self.columns.len()).filter(|&index| !self.columns[index].best.exact).collect();
        if which.is_empty() {
            return;
        }
        let residuals = self.residuals(&which, |column| &column.best.v);
        let measures = self.system.stop.measure(&residuals, &self.norms(&which));
        for (position, &index) in which.iter().enumerate() {
            let residual = residuals.column(position).to_owned();
            self.columns[index].settle(residual, measures[position]);
        }
    }

    fn into_solution(self) -> CgBlockSolution {
        let slack = matches!(self.system.stop, Stop::QuadraticSlack { .. });
        let everything: Vec<usize> = (0..self.columns.len()).collect();
        let reports = self.columns.iter().zip(&self.rhs_norms);
        CgBlockSolution {
            v: self.gather(&everything, |column| &column.best.v),
            residual: self.gather(&everything, |column| &column.best.r),
            lowest: slack.then(|| self.gather(&everything, |column| &column.lowest)),
            reports: reports.map(|(column, norm)| column.report(*norm, slack)).collect(),
            n_products: self.n_products,
        }
    }

    /// `B − A V` of `which` columns, computed from its definition.
    fn residuals(
        &mut self,
        which: &[usize],
        iterate: impl Fn(&Column) -> &Array1<f64>,
    ) -> Array2<f64> {
        let products = self.multiply(&self.gather(which, iterate));
        self.system.rhs.select(Axis(1), which) - products
    }

    fn multiply(&mut self, v: &ArrayRef2<f64>) -> Array2<f64> {
        self.n_products += v.ncols();
        self.system.op.apply(v)
    }

    /// One vector of each of `which` columns, side by side, `[N, which]`.
    fn gather(&self, which: &[usize], vector: impl Fn(&Column) -> &Array1<f64>) -> Array2<f64> {
        let mut block = Array2::zeros((self.system.rhs.nrows(), which.len()));
        for (mut column, &index) in block.axis_iter_mut(Axis(1)).zip(which) {
            column.assign(vector(&self.columns[index]));
        }
        block
    }

    fn norms(&self, which: &[usize]) -> Vec<f64> {
        which.iter().map(|&index| self.rhs_norms[index]).collect()
    }
}
