//! Which bounds a budget allows.

use bounds::{
    Budget, CostClass, Part, ProblemSize, Purpose, Side, best_affordable, free_log_det_catalogue,
    log_det_catalogue,
};

const SIZE: ProblemSize =
    ProblemSize { n: 20_000, d: 9, inducing: 512, neighbours: 30, block: 64, threads: 2 };
const ROOM: u64 = 8 << 30;

fn names(size: &ProblemSize, seconds: f64, bytes: u64, purpose: Purpose) -> Vec<&'static str> {
    let plan = best_affordable(size, &Budget { seconds, bytes }, purpose);
    assert!(plan.seconds <= seconds && plan.bytes <= bytes);
    plan.bounds.iter().map(|bound| bound.name()).collect()
}

#[test]
fn without_limits_a_certificate_takes_every_bound_the_problem_can_serve() {
    let all = names(&SIZE, f64::INFINITY, u64::MAX, Purpose::Certificate);
    assert_eq!(all.len(), log_det_catalogue().len());
    let bare = ProblemSize { inducing: 0, block: 0, ..SIZE };
    let few = names(&bare, f64::INFINITY, u64::MAX, Purpose::Certificate);
    assert_eq!(few, ["vecchia", "dual-moments-vecchia", "moments-vecchia", "dual-vecchia"]);
}

#[test]
fn training_takes_one_bound_with_a_gradient() {
    for seconds in [1e-3, 1.0, 1e6] {
        let plan = best_affordable(&SIZE, &Budget { seconds, bytes: ROOM }, Purpose::Training);
        assert!(plan.bounds.len() <= 1);
        for bound in &plan.bounds {
            assert!(bound.differentiable().is_some() && bound.side() == Side::Upper);
        }
    }
    assert_eq!(names(&SIZE, 1e6, ROOM, Purpose::Training), ["vecchia"]);
    let wide = ProblemSize { d: 17, ..SIZE };
    assert_eq!(names(&wide, 1e6, ROOM, Purpose::Training), ["vif"]);
    assert_eq!(names(&wide, 10.0, ROOM, Purpose::Training), ["vecchia"]);
    let pointed = ProblemSize { neighbours: 0, ..SIZE };
    assert_eq!(names(&pointed, 1e6, ROOM, Purpose::Training), ["pitc"]);
    // Inducing points do not fit this memory, neighbours do.
    assert_eq!(names(&SIZE, 1e6, 40 << 20, Purpose::Training), ["vecchia"]);
    assert!(names(&SIZE, 1e-9, ROOM, Purpose::Training).is_empty());
}

#[test]
fn more_time_never_takes_a_worse_bracket() {
    let mut before = 0;
    for seconds in [0.1, 1.0, 10.0, 100.0, 1000.0] {
        let count = names(&SIZE, seconds, ROOM, Purpose::Certificate).len();
        assert!(count >= before, "{count} bounds after {before}");
        before = count;
    }
}

/// Processor seconds measured as `src/cost.rs` says, with 5 000 and 20 000 rows.
#[test]
fn estimates_are_near_what_was_measured() {
    use bounds::SurrogateKind::{Fitc, Nystrom, Pitc, Vecchia, Vif};
    let measured: [(usize, &[Part], f64); 11] = [
        (5_000, &[Part::Surrogate(Fitc)], 0.28),
        (5_000, &[Part::Surrogate(Pitc)], 0.32),
        (5_000, &[Part::Surrogate(Vecchia)], 0.13),
        (5_000, &[Part::Surrogate(Vif)], 1.51),
        (5_000, &[Part::Trace(Nystrom)], 1.60),
        (5_000, &[Part::Surrogate(Fitc), Part::Moments(Fitc)], 7.93),
        (5_000, &[Part::Surrogate(Vecchia), Part::Moments(Vecchia)], 5.31),
        (5_000, &[Part::Surrogate(Vif), Part::Moments(Vif)], 11.0),
        (20_000, &[Part::Surrogate(Vecchia)], 0.62),
        (20_000, &[Part::Surrogate(Vif)], 8.6),
        (20_000, &[Part::Trace(Nystrom)], 22.9),
    ];
    for (n, parts, seconds) in measured {
        let estimate = ProblemSize { n, threads: 1, ..SIZE }.seconds(parts);
        assert!(
            (estimate / seconds).ln().abs() < 1.6_f64.ln(),
            "{parts:?}: {estimate} of {seconds}"
        );
    }
}

#[test]
fn free_bounds_take_no_pass_over_the_matrix() {
    let free: Vec<_> = free_log_det_catalogue().iter().map(|bound| bound.name()).collect();
    for bound in log_det_catalogue() {
        let quadratic = bound.cost_class() == CostClass::Quadratic;
        assert_eq!(free.contains(&bound.name()), !quadratic, "{}", bound.name());
        assert_eq!(bound.differentiable().is_some(), !quadratic, "{}", bound.name());
    }
}

/// What a bound says it needs is what makes it refuse.
#[test]
fn needs_are_what_a_problem_is_refused_for() {
    let (x, z) = (crate::support::points(9, 2, 0), crate::support::points(3, 2, 40));
    let kernel = crate::support::se(1.0, 1.0);
    for bound in log_det_catalogue() {
        for served in 0..8 {
            let mut problem = bounds::Problem::new(kernel.as_ref(), &x, 0.1).unwrap();
            let [inducing, neighbours, blocks] = [1, 2, 4].map(|bit| served & bit != 0);
            if inducing {
                problem = problem.with_inducing_points(&z, 1e-8).unwrap();
            }
            if neighbours {
                problem = problem.with_neighbours(3);
            }
            if blocks {
                problem = problem.with_blocks(4).unwrap();
            }
            let needs = bound.needs();
            let enough = (!needs.inducing_points || inducing)
                && (!needs.neighbours || neighbours)
                && (!needs.blocks || blocks);
            assert_eq!(bound.value(&problem).is_ok(), enough, "{} of {served}", bound.name());
        }
    }
}
