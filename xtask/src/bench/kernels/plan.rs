//! What the table measures.

use serde_json::{Value, json};

/// How much of the table is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Size {
    /// Every operation once, on few rows.
    Quick,
    /// What to judge a change by, in minutes.
    Usual,
    /// Every combination.
    Full,
}

/// One row to measure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    pub(super) op: &'static str,
    pub(super) kernel: &'static str,
    /// Of objectives.
    pub(super) method: Option<&'static str>,
    /// Data rows.
    pub(super) n: usize,
    /// Input columns.
    pub(super) d: usize,
    /// Inducing points, or new rows of a prediction.
    pub(super) m: Option<usize>,
    /// Right-hand sides.
    pub(super) columns: Option<usize>,
    pub(super) threads: usize,
    pub(super) dtype: &'static str,
}

const KERNELS: [&str; 4] = ["matern32", "se", "matern52", "sum"];
const DIMENSIONS: [usize; 3] = [3, 9, 26];
const ROWS: [usize; 3] = [10_000, 20_000, 50_000];
const COLUMNS: [usize; 2] = [1, 11];
/// Methods by inducing points.
const SPARSE: [&str; 2] = ["sgpr", "cglb"];
/// Of the set on which objectives are measured.
const PROTEIN_D: usize = 9;

impl Spec {
    /// A product on two threads.
    pub(super) fn product(kernel: &'static str, n: usize, d: usize, columns: usize) -> Self {
        let (op, columns) = ("product", Some(columns));
        Self { op, kernel, method: None, n, d, m: None, columns, threads: 2, dtype: "f64" }
    }

    /// In single precision, as conjugate gradients may search.
    fn single(&self) -> Self {
        Self { dtype: "f32", ..self.clone() }
    }

    fn gradient(&self) -> Self {
        Self { op: "gradient", ..self.clone() }
    }

    /// A product with tiles kept in memory.
    fn stored(n: usize, columns: usize) -> Self {
        Self { op: "stored_product", ..Self::product("matern32", n, 9, columns) }
    }

    /// A product with the kernel matrix of `m` new rows.
    fn cross_product(n: usize, m: usize, columns: usize) -> Self {
        let spec = Self::product("matern32", n, 9, columns);
        Self { op: "cross_product", m: Some(m), ..spec }
    }

    /// K_uf or its gradient.
    fn inducing(op: &'static str, n: usize, m: usize, d: usize) -> Self {
        Self { op, m: Some(m), columns: None, ..Self::product("matern32", n, d, 1) }
    }

    fn exact(op: &'static str, n: usize, threads: usize) -> Self {
        let spec = Self::product("matern32", n, PROTEIN_D, 1);
        Self { op, method: Some("exact"), columns: None, threads, ..spec }
    }

    /// An objective with its gradient, by `m` inducing points.
    fn sparse(method: &'static str, n: usize, m: usize) -> Self {
        Self { method: Some(method), m: Some(m), ..Self::exact("objective_gradient", n, 2) }
    }

    /// A model of CGLB at given hyperparameters.
    fn condition(n: usize, m: usize) -> Self {
        Self { op: "condition", ..Self::sparse("cglb", n, m) }
    }

    pub(super) fn json(&self) -> Value {
        let Self { op, kernel, method, n, d, m, columns, threads, dtype } = self;
        json!({
            "op": op, "kernel": kernel, "method": method, "n": n, "d": d, "m": m, "columns": columns,
            "threads": threads, "dtype": dtype,
        })
    }

    /// In a few words, for a person who waits.
    pub(super) fn label(&self) -> String {
        let Self { op, kernel, n, d, threads, dtype, .. } = self;
        let method = self.method.map_or(String::new(), |method| format!(" {method}"));
        let optional = |name: &str, value: Option<usize>| {
            value.map_or(String::new(), |value| format!(" {name}={value}"))
        };
        let (m, columns) = (optional("m", self.m), optional("columns", self.columns));
        format!("{op}{method} {kernel} {dtype} n={n} d={d}{m}{columns} threads={threads}")
    }
}

/// The rows of a table, none twice.
pub(super) fn specs(size: Size) -> Vec<Spec> {
    let all = match size {
        Size::Quick => quick(),
        Size::Usual => usual(),
        Size::Full => [usual(), full()].concat(),
    };
    let mut specs: Vec<Spec> = Vec::new();
    all.into_iter().for_each(|spec| {
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    });
    specs
}

fn quick() -> Vec<Spec> {
    let products = KERNELS.map(|kernel| Spec::product(kernel, 300, 3, 2));
    let gradients = products.each_ref().map(Spec::gradient);
    let inducing = ["k_uf", "k_uf_gradient"].map(|op| Spec::inducing(op, 300, 20, 3));
    let exact = ["cholesky", "objective", "objective_gradient"].map(|op| Spec::exact(op, 200, 2));
    let single = products[0].single();
    let sparse = SPARSE.map(|method| Spec::sparse(method, 200, 20));
    let condition = Spec::condition(200, 20);
    let others = [Spec::stored(300, 1), Spec::cross_product(300, 500, 1), single, condition];
    [&products[..], &gradients, &others, &inducing, &exact, &sparse].concat()
}

fn usual() -> Vec<Spec> {
    let dimensions = grid(&["matern32"], &[20_000], &DIMENSIONS, &COLUMNS);
    let kernels = grid(&KERNELS, &[20_000], &[9], &COLUMNS);
    let rows = grid(&["matern32"], &ROWS, &[9], &COLUMNS);
    let blocks = grid(&["matern32"], &[20_000], &[9], &[2, 64]);
    let single = DIMENSIONS.iter().flat_map(|&d| {
        COLUMNS.map(|columns| Spec::product("matern32", 20_000, d, columns).single())
    });
    let stored = COLUMNS.map(|columns| Spec::stored(20_000, columns));
    let mut cross = COLUMNS.map(|columns| Spec::cross_product(20_000, 100_000, columns)).to_vec();
    cross.push(Spec::cross_product(20_000, 1_000_000, 1));
    let inducing = ["k_uf", "k_uf_gradient"].map(|op| Spec::inducing(op, 30_000, 512, 9));
    let exact = ["cholesky", "objective", "objective_gradient"].map(|op| Spec::exact(op, 5_000, 2));
    let condition = Spec::condition(20_000, 512);
    let condition = [condition.clone(), condition.single()];
    [
        &dimensions[..],
        &kernels,
        &rows,
        &blocks,
        &alone(&["matern32"]),
        &single.collect::<Vec<_>>(),
        &stored,
        &cross,
        &inducing,
        &exact,
        &SPARSE.map(|method| Spec::sparse(method, 10_000, 512)),
        &condition,
    ]
    .concat()
}

fn full() -> Vec<Spec> {
    let products = grid(&KERNELS, &ROWS, &DIMENSIONS, &COLUMNS);
    let inducing = DIMENSIONS
        .into_iter()
        .flat_map(|d| ["k_uf", "k_uf_gradient"].map(|op| Spec::inducing(op, 30_000, 512, d)));
    let exact = [Spec::exact("objective_gradient", 5_000, 1)];
    [&products[..], &alone(&KERNELS), &inducing.collect::<Vec<_>>(), &exact].concat()
}

/// Products and gradients on one thread.
fn alone(kernels: &[&'static str]) -> Vec<Spec> {
    let both = grid(kernels, &[10_000], &DIMENSIONS, &COLUMNS);
    both.into_iter().map(|spec| Spec { threads: 1, ..spec }).collect()
}

/// Products and gradients of every combination.
fn grid(
    kernels: &[&'static str],
    rows: &[usize],
    dimensions: &[usize],
    columns: &[usize],
) -> Vec<Spec> {
    let mut specs = Vec::new();
    for &kernel in kernels {
        for &n in rows {
            for &d in dimensions {
                let products = columns.iter().map(|&columns| Spec::product(kernel, n, d, columns));
                specs.extend(products.flat_map(|product| [product.clone(), product.gradient()]));
            }
        }
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_comes_twice() {
        for size in [Size::Quick, Size::Usual, Size::Full] {
            let specs = specs(size);
            let labels: std::collections::BTreeSet<String> =
                specs.iter().map(Spec::label).collect();
            assert_eq!(labels.len(), specs.len());
        }
    }

    #[test]
    fn the_usual_table_has_what_targets_are_set_for() {
        let specs = specs(Size::Usual);
        for columns in COLUMNS {
            let product = Spec::product("matern32", 20_000, 9, columns);
            assert!(specs.contains(&product) && specs.contains(&product.gradient()));
        }
        assert!(specs.contains(&Spec::product("matern32", 20_000, 9, 1).single()));
        assert!(specs.contains(&Spec::exact("cholesky", 5_000, 2)));
    }

    #[test]
    fn the_full_table_has_every_combination() {
        let specs = specs(Size::Full);
        let combinations = KERNELS.len() * DIMENSIONS.len() * ROWS.len() * COLUMNS.len();
        let products = specs
            .iter()
            .filter(|spec| spec.op == "product" && spec.threads == 2 && spec.dtype == "f64");
        assert_eq!(products.count(), combinations + 2);
        assert!(specs.iter().any(|spec| spec.m == Some(1_000_000)));
    }
}
