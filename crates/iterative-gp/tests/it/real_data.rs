//! Tables of a folder of public data sets, where `TAUT_DATA_DIR` names one.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::support::leaf;
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Posterior, Standardiser, TrainingPlan, random_rows};
use iterative_gp::{IterativeGp, PredictionOptions, Variance};
use kernels::Mean;
use ndarray::{Array2, Axis, s};

/// The set's columns, the target last, standardised: 2 000 rows to train, 500 to test.
fn rows(folder: &Path, name: &str) -> [Array2<f64>; 3] {
    let file = std::fs::File::open(folder.join(name).join("data.csv.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let records: Vec<Vec<f64>> = reader
        .records()
        .map(|record| record.unwrap().iter().map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let d = records[0].len();
    let all = Array2::from_shape_vec((records.len(), d), records.concat()).unwrap();
    let few = all.select(Axis(0), &random_rows(all.nrows(), 2500, 1));
    let scaling = Standardiser::fit(&few, "x").unwrap();
    let few = scaling.apply(&few).unwrap();
    // Every fifth row tests, so that sorted tables are split fairly.
    let part = |test: bool| {
        let rows: Vec<usize> = (0..few.nrows()).filter(|row| (row % 5 == 0) == test).collect();
        few.select(Axis(0), &rows)
    };
    let (train, test) = (part(false), part(true));
    [
        train.slice(s![.., ..d - 1]).to_owned(),
        train.slice(s![.., d - 1..]).to_owned(),
        test.slice(s![.., ..d - 1]).to_owned(),
    ]
}

/// Hyperparameters by a short exact fit on 500 of the rows.
fn trained(x: &Array2<f64>, y: &Array2<f64>) -> Hyperparameters {
    let chosen = random_rows(x.nrows(), 500, 2);
    let (x, y) = (x.select(Axis(0), &chosen), y.select(Axis(0), &chosen));
    let template = leaf("matern32", &vec![(x.ncols() as f64).sqrt(); x.ncols()], 0.1);
    let template = Hyperparameters { mean: Mean::Constant(0.0), ..template };
    let mut plan = TrainingPlan { starts: 1, ..TrainingPlan::default() };
    plan.options.lbfgs.max_iters = 40;
    let options = exact_gp::ExactGpOptions { plan, memory_budget: None };
    let (gp, _) = ExactGp::fit(&template, &x, &y, &options, &mut ()).unwrap();
    gp.hyperparameters().clone()
}

#[test]
fn love_of_rank_500_errs_by_less_than_a_hundredth_of_the_prior_variance() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR").map(PathBuf::from) else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    for name in ["protein", "elevators"] {
        let [x, y, at] = rows(&folder, name);
        let hyper = trained(&x, &y);
        let truth = ExactGp::condition(&hyper, &x, &y, None).unwrap().predict(&at).unwrap();
        let prior = hyper.kernel.diag(&at)[0];
        eprintln!("{name}: noise {:.3}, prior {prior:.3}", hyper.noise_variance);
        for (rank, neighbours) in
            [(50, 0), (100, 0), (200, 0), (500, 0), (50, 30), (100, 30), (200, 30), (500, 30)]
        {
            let variance = Variance::Love { rank, neighbours };
            let options = PredictionOptions { variance, ..PredictionOptions::default() };
            let began = std::time::Instant::now();
            let gp = IterativeGp::condition(&hyper, &x, &y, &options).unwrap();
            let found = gp.predict(&at).unwrap().var_latent;
            let errors = (&found - &truth.var_latent) / prior;
            let (mean, worst) = (errors.mean().unwrap(), errors.fold(0.0, |a: f64, b| a.max(*b)));
            eprintln!(
                "{name}: rank {rank}, {neighbours} neighbours: mean {mean:.2e}, worst {worst:.2e}, {:.1} s",
                began.elapsed().as_secs_f64()
            );
            assert!(errors.iter().all(|error| *error > -1e-8));
            // Of the plain method too, which no neighbour completes.
            assert!(rank < 500 || worst <= 1e-2, "{name}, {neighbours} neighbours: {worst}");
            assert!(found.iter().all(|variance| *variance >= 0.0));
        }
    }
}
