//! Prediction allocates for shards of rows, never for a row.

use allocation_counter::measure;
use naive_bayes::{Batch, Documents, Kind, Levels, Model, Options, Predictor, Training};
use ndarray::Array2;

/// Rows of a shard, and so of every measurement: with as many or fewer, there is one shard.
const SHARD: usize = 2048;

fn batch(n: usize) -> Batch<'static> {
    let numbers = Array2::from_shape_fn((n, 3), |(row, column)| ((row * 5 + column) % 7) as f64);
    let words: Vec<Vec<&str>> = (0..n).map(|row| vec!["a", ["b", "c"][row % 2]]).collect();
    let tags: Vec<Vec<&str>> = (0..n).map(|row| vec![["t", "u"][row % 2]]).collect();
    let flags = (0..n).map(|row| if row % 5 == 0 { f64::NAN } else { (row % 2) as f64 });
    let mut batch = Batch::new(n);
    for (at, kind) in [(0, Kind::Gaussian), (1, Kind::Gaussian), (2, Kind::Count)] {
        batch = batch.column(&format!("x{at}"), kind, numbers.column(at).to_vec()).unwrap();
    }
    let levels = Levels::from_texts((0..n).map(|row| Some(["red", "blue"][row / 2 % 2])));
    batch
        .column("flag", Kind::Bernoulli, flags.collect())
        .and_then(|batch| batch.tags(tags))
        .and_then(|batch| batch.levels("colour", levels))
        .and_then(|batch| batch.documents("words", Documents::from_words(words)))
        .unwrap()
}

fn predictor() -> Predictor {
    let batch = batch(60);
    let classes = Levels::from_integers(&(0..60).map(|row| row % 3).collect::<Vec<_>>());
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    model.predictor(&Options::default()).unwrap()
}

#[test]
fn ten_times_the_rows_need_no_more_allocations() {
    // Counts are those of this thread, so it does the work itself.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    let predictor = predictor();
    let (few, many) = (batch(SHARD / 10), batch(SHARD));
    let count = |batch: &Batch<'_>, work: &(dyn Fn(&Batch<'_>) + Sync)| {
        measure(|| pool.install(|| work(batch))).count_total
    };
    let works: [&(dyn Fn(&Batch<'_>) + Sync); 3] = [
        &|batch| drop(predictor.predict(batch).unwrap()),
        &|batch| drop(predictor.proba(batch).unwrap()),
        &|batch| drop(predictor.joint_log_likelihood(batch).unwrap()),
    ];
    for work in works {
        // The first call builds what is kept between calls.
        count(&few, work);
        let (few, many) = (count(&few, work), count(&many, work));
        assert!(few > 0, "the counter works");
        assert_eq!(few, many);
    }
}
