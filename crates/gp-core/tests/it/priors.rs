//! Priors move the optimum to where it can be computed by hand.

use crate::support::{Bowl, close, limits, model, named, start};
use gp_core::{Floors, Hyperparameters, ParameterSpace, Prior, TrainingPlan, train};

/// The optimum of [`Bowl`] plus the prior on one parameter.
fn optimum(name: &str, prior: Option<Prior>, a: f64, b: f64) -> f64 {
    let floors = Floors { kernel: 1e-12, noise_variance: 1e-12 };
    let mut space = ParameterSpace::new(&model(), floors);
    if let Some(prior) = prior {
        space.set_prior(name, prior).unwrap();
    }
    let u = space.pack(&model()).unwrap();
    let [mut screening, mut full] = [(); 2].map(|()| Bowl { space: &space, a, b });
    let starts = [start("only", &u)];
    let trained =
        train(&mut screening, &mut full, &starts, &limits(500, 1), None, &mut ()).unwrap();
    named(&space.unpack(&trained.u).unwrap(), name)
}

#[test]
fn without_priors_the_objective_decides() {
    close("variance", optimum("kernel.variance", None, 3.0, 0.4), 0.4f64.exp(), 1e-6);
    close("mean", optimum("mean", None, 3.0, 0.4), 0.4, 1e-6);
}

#[test]
fn a_log_normal_prior_weighs_in_with_its_precision() {
    let (a, b, mean, std) = (3.0, 0.4, -0.5, 0.6);
    // d/dz [−½a(z − b)² − ½((z − mean)/std)² − z] = 0 in z = log θ.
    let precision = 1.0 / (std * std);
    let z = (a * b + precision * mean - 1.0) / (a + precision);
    for name in ["kernel.lengthscales[0]", "kernel.variance", "noise_variance"] {
        let found = optimum(name, Some(Prior::LogNormal { mean, std }), a, b);
        close(name, found, f64::exp(z), 1e-6);
    }
}

#[test]
fn a_normal_prior_averages_with_a_quadratic() {
    let (a, b, mean, std) = (3.0, 0.4, -0.5, 0.6);
    let precision = 1.0 / (std * std);
    let found = optimum("mean", Some(Prior::Normal { mean, std }), a, b);
    close("mean", found, (a * b + precision * mean) / (a + precision), 1e-6);
}

#[test]
fn where_the_data_say_nothing_the_prior_has_its_mode() {
    let gamma = Prior::Gamma { shape: 3.0, rate: 4.0 };
    close("gamma", optimum("noise_variance", Some(gamma), 0.0, 0.0), 0.5, 1e-5);
    let normal = Prior::Normal { mean: 2.0, std: 0.1 };
    close("normal", optimum("kernel.lengthscales[1]", Some(normal), 0.0, 0.0), 2.0, 1e-5);
    let log_normal = Prior::LogNormal { mean: 1.0, std: 0.5 };
    close(
        "log-normal",
        optimum("kernel.variance", Some(log_normal), 0.0, 0.0),
        0.75f64.exp(),
        1e-5,
    );
}

#[test]
fn a_plan_carries_fixed_parameters_and_priors() {
    let plan = TrainingPlan {
        fixed: vec!["kernel.lengthscales".to_owned()],
        priors: vec![("mean".to_owned(), Prior::Normal { mean: -1.0, std: 0.5 })],
        ..TrainingPlan::default()
    };
    let template = model();
    let space = plan.space(&template).unwrap();
    let [mut screening, mut full] = [(); 2].map(|()| Bowl { space: &space, a: 4.0, b: 0.0 });
    let (hyper, trained): (Hyperparameters, _) =
        plan.run(&template, 2, &mut screening, &mut full, &mut ()).unwrap();
    assert!(trained.stop_reason.converged());
    assert_eq!(named(&hyper, "kernel.lengthscales[1]"), 2.0);
    close("mean", named(&hyper, "mean"), -0.5, 1e-6);
    close("variance", named(&hyper, "kernel.variance"), 1.0, 1e-5);
    let unknown = TrainingPlan { fixed: vec!["x".to_owned()], ..TrainingPlan::default() };
    assert!(unknown.run(&template, 2, &mut screening, &mut full, &mut ()).is_err());
}
