//! Where training starts from.

use crate::support::{model, named};
use gp_core::{DEFAULT_STARTS, Floors, Hyperparameters, ParameterSpace, Start, starts};

fn space(fixed: &[&str]) -> ParameterSpace {
    let mut space = ParameterSpace::new(&model(), Floors::default());
    fixed.iter().for_each(|name| space.fix(name).unwrap());
    space
}

fn of(fixed: &[&str], count: usize, seed: u64) -> Vec<Start> {
    starts(&model(), &space(fixed), 2, count, seed).unwrap()
}

#[test]
fn the_template_comes_first() {
    let starts = of(&[], DEFAULT_STARTS, 0);
    assert_eq!(starts.len(), DEFAULT_STARTS);
    assert_eq!(starts[0].u, space(&[]).pack(&model()).unwrap());
}

#[test]
fn starts_differ_in_lengthscales_and_noise_only() {
    let space = space(&[]);
    for start in of(&[], 12, 4) {
        let hyper = space.unpack(&start.u).unwrap();
        let [a, b] = [0, 1].map(|i| named(&hyper, &format!("kernel.lengthscales[{i}]")));
        assert!((b / a - 4.0).abs() < 1e-9, "{}", start.name);
        assert!((named(&hyper, "kernel.variance") - 1.2).abs() < 1e-12);
        assert!((named(&hyper, "mean") - 0.3).abs() < 1e-12);
    }
}

#[test]
fn starts_are_distinct_and_named_apart() {
    for count in [0, 1, 2, 5, 20] {
        let starts = of(&[], count, 9);
        assert_eq!(starts.len(), count.max(1));
        for (i, start) in starts.iter().enumerate() {
            assert!(starts[..i].iter().all(|other| other.u != start.u));
            assert!(start.u.iter().all(|u| u.is_finite()));
        }
    }
}

#[test]
fn more_starts_begin_with_the_same_ones() {
    let (few, many) = (of(&[], 6, 1), of(&[], 15, 1));
    assert_eq!(few, many[..6]);
    assert_eq!(of(&[], 15, 1), many);
    assert_ne!(of(&[], 15, 2), many);
}

#[test]
fn what_is_fixed_does_not_make_starts() {
    assert_eq!(of(&["kernel.lengthscales", "noise_variance"], 5, 0).len(), 1);
    assert_eq!(of(&["kernel", "noise_variance", "mean"], 5, 0)[0].u.len(), 0);
    let noise_only = of(&["kernel.lengthscales"], 5, 0);
    assert_eq!(noise_only.len(), 5);
    assert_eq!(noise_only[0].u.len(), 3);
}

#[test]
fn variations_below_a_floor_are_left_out() {
    let template = Hyperparameters { noise_variance: 5e-6, ..model() };
    let space = ParameterSpace::new(&template, Floors::default());
    let found = starts(&template, &space, 2, 5, 0).unwrap();
    assert_eq!(found[0].u, space.pack(&template).unwrap());
    for start in &found {
        assert!(space.unpack(&start.u).unwrap().noise_variance > 1e-6, "{}", start.name);
    }
    // The template itself is refused there.
    let below = Hyperparameters { noise_variance: 1e-7, ..model() };
    assert!(starts(&below, &space, 2, 5, 0).is_err());
}
