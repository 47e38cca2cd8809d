//! Chunks do not matter: `cargo run -p naive-bayes --example chunks`.
//!
//! Four rows are learned at once, in two chunks and in four. Where the variance smoothing is worked out from the last chunk alone, as by the
//! `partial_fit` of scikit-learn 1.9.1, each way gives another answer.

#![allow(clippy::print_stdout)]

use std::error::Error;

use naive_bayes::{Batch, Kind, Levels, Model, Options, Smoothing, Training};
use ndarray::{Axis, array};

fn main() -> Result<(), Box<dyn Error>> {
    let (x, classes) = (array![[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]);
    let columns = [("x", Kind::Gaussian)];
    let question = array![[0.5]];
    let options = Options { smoothing: Smoothing::Global(0.1), ..Options::default() };
    println!("p(class 0 | x = 0.5): at once and in chunks here, and by partial_fit");
    for (rows, elsewhere) in [(4, 0.0474), (2, 0.0043), (1, 0.0025)] {
        let mut model = Model::default();
        for (x, classes) in x.axis_chunks_iter(Axis(0), rows).zip(classes.chunks(rows)) {
            let batch = Batch::new(classes.len()).matrix(&columns, &x)?;
            model.observe(&Training::new(&batch, &Levels::from_integers(classes))?)?;
        }
        let batch = Batch::new(1).matrix(&columns, &question)?;
        let proba = model.predictor(&options)?.proba(&batch)?[[0, 0]];
        println!("{rows} rows a chunk: {proba:.4} {elsewhere:.4}");
        assert!((proba - 0.047_425_873_177_566_76).abs() < 1e-12, "chunks matter");
    }
    Ok(())
}
