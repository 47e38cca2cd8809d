//! The deterministic bracket beside the estimate.

use crate::support::{exact, leaf, points, targets};
use iterative_gp::{EstimatorOptions, IterativeGp, Preconditioning, PredictionOptions};

#[test]
fn an_over_estimate_shows() {
    let x = points(400, 2, 0);
    let y = targets(&x);
    let hyper = leaf("matern32", &[1.5, 1.0], 0.05);
    let truth = exact(&hyper, &x, &y).lml().unwrap().value;
    let gp = IterativeGp::condition(&hyper, &x, &y, &PredictionOptions::default()).unwrap();
    // Two probes of a poor surrogate: a number that chance may put anywhere.
    let preconditioning = Preconditioning::PivotedCholesky { rank: 0 };
    let options = EstimatorOptions { probes: 2, preconditioning, ..EstimatorOptions::default() };
    let (mut over, mut under) = (0, 0);
    for seed in 0..20 {
        let compared = gp.compare(&options, seed, 200, 20).unwrap();
        assert!(compared.bracket.lower <= truth && truth <= compared.bracket.upper);
        let above = compared.estimate.value - compared.bracket.upper;
        assert_eq!(compared.over_estimate(), above.max(0.0));
        over += usize::from(compared.over_estimate() > 0.0);
        under += usize::from(compared.under_estimate() > 0.0);
    }
    assert!(over > 0 && under > 0, "{over} over, {under} under");
    let good = gp.compare(&EstimatorOptions::default(), 1, 200, 20).unwrap();
    let allowed = 4.0 * good.estimate.standard_error;
    assert!(good.over_estimate() <= allowed && good.under_estimate() <= allowed);
}
