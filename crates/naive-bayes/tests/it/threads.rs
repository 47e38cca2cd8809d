//! The same bits for any number of threads.

use naive_bayes::{Batch, Kind, Levels, Model, Options, Training};
use ndarray::Array2;

fn run(threads: usize) -> (String, Array2<f64>) {
    let n = 9000;
    let x =
        Array2::from_shape_fn((n, 4), |(row, column)| (row as f64 * 0.37 + column as f64).sin());
    let columns: Vec<_> = (0..4).map(|at| (format!("x{at}"), Kind::Gaussian)).collect();
    let classes =
        Levels::from_integers(&(0..n as i64).map(|row| row * row % 3).collect::<Vec<_>>());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let batch = Batch::new(n).matrix(&columns, &x).unwrap();
        let mut model = Model::default();
        model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
        let proba = model.predictor(&Options::default()).unwrap().proba(&batch).unwrap();
        (serde_json::to_string(&model).unwrap(), proba)
    })
}

#[test]
fn one_two_and_five_threads_agree() {
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(5), one);
}
