//! Vector functions against the standard library's, number by number.

use kernels::simd::{Lanes, Pack, Simd, Task};

/// One function of eight numbers.
struct Apply<'a>(Function, &'a [Pack]);

#[derive(Debug, Clone, Copy)]
enum Function {
    Exp2Neg,
    Sqrt,
    SinPi,
    Ln1p,
}

impl Task for Apply<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Vec<f64> {
        let mut results = Vec::new();
        for pack in self.1 {
            let (x, mut result) = (V::load(pack), Pack::ZERO);
            match self.0 {
                Function::Exp2Neg => x.exp2_neg().store(&mut result),
                Function::Sqrt => x.sqrt().store(&mut result),
                Function::Ln1p => x.ln_1p().store(&mut result),
                Function::SinPi => x.sin_pi().store(&mut result),
            }
            results.extend(result.0);
        }
        results
    }
}

/// The largest error in units of the last place, and where; the results are normal numbers or 0.
fn worst(simd: Simd, function: Function, xs: &[f64], exact: impl Fn(f64) -> f64) -> (f64, f64) {
    let packs: Vec<Pack> =
        xs.chunks(8).map(|x| Pack::from_fn(|lane| x[lane.min(x.len() - 1)])).collect();
    let found = simd.run(Apply(function, &packs));
    let mut worst = (0.0, 0.0);
    for (&x, found) in xs.iter().zip(found) {
        let expected = exact(x);
        let ulp = expected.abs().next_up() - expected.abs();
        let error = (found - expected).abs() / ulp;
        assert!(!error.is_nan(), "{function:?}({x}) on {}", simd.name());
        worst = if error > worst.0 { (error, x) } else { worst };
    }
    worst
}

/// From `first` on, each larger by `factor`.
fn geometric(first: f64, last: f64, factor: f64) -> Vec<f64> {
    std::iter::successors(Some(first), |x| Some(x * factor)).take_while(|&x| x < last).collect()
}

#[test]
fn powers_of_two_are_within_two_units_of_the_last_place() {
    let mut xs: Vec<f64> = (0..200_000).map(|i| f64::from(i) * 0.005).collect();
    xs.extend(geometric(1e-320, 1020.0, 1.003));
    for simd in Simd::available() {
        let (error, x) = worst(simd, Function::Exp2Neg, &xs, |x| (-x).exp2());
        assert!(error <= 2.0, "{error} at {x} on {}", simd.name());
        let ends = [0.0, 1.0, 1022.0, 1100.0, 1448.0, 2_097_152.0];
        let found = simd.run(Apply(Function::Exp2Neg, &[Pack::from_fn(|i| ends[i.min(5)])]));
        assert_eq!((found[0], found[1], &found[3..6]), (1.0, 0.5, &[0.0; 3][..]));
        assert!((0.0..=f64::MIN_POSITIVE).contains(&found[2]));
    }
}

#[test]
fn square_roots_are_within_two_units_of_the_last_place() {
    let mut xs = geometric(1e-290, 1e300, 1.01);
    xs.extend((0..100_000).map(|i| f64::from(i) * 0.01));
    for simd in Simd::available() {
        let (error, x) = worst(simd, Function::Sqrt, &xs, f64::sqrt);
        assert!(error <= 2.0, "{error} at {x} on {}", simd.name());
        let tiny = simd.run(Apply(Function::Sqrt, &[Pack([5e-324; 8])]));
        assert!((0.0..1e-144).contains(&tiny[0]), "{}", tiny[0]);
    }
}

#[test]
fn logarithms_are_within_four_units_of_the_last_place() {
    let mut xs = geometric(1e-300, 1e300, 1.003);
    xs.extend((0..100_000).map(|i| f64::from(i) * 1e-4));
    for simd in Simd::available() {
        let (error, x) = worst(simd, Function::Ln1p, &xs, f64::ln_1p);
        assert!(error <= 4.0, "{error} at {x} on {}", simd.name());
    }
}

#[test]
fn sines_are_within_four_units_of_the_last_place() {
    let xs: Vec<f64> = (-50_000..=50_000).map(|i| f64::from(i) * 1e-5).collect();
    for simd in Simd::available() {
        // The reference's argument is rounded: an ulp of it is up to π/2 ulp of the sine.
        let (error, x) = worst(simd, Function::SinPi, &xs, |x| (std::f64::consts::PI * x).sin());
        assert!(error <= 4.0, "{error} at {x} on {}", simd.name());
    }
}

#[test]
fn the_detected_instructions_are_available() {
    let all = Simd::available();
    assert_eq!(all[0].name(), "portable");
    assert!(all.contains(&Simd::detect()));
}
