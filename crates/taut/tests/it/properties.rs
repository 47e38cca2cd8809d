//! Case 7: no file makes the program panic.

use proptest::prelude::*;

use crate::support::Place;

/// Bytes that look like a table now and then.
fn csvish() -> impl Strategy<Value = Vec<u8>> {
    let cell = prop_oneof![
        4 => (-100.0..100.0_f64).prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        1 => prop::sample::select(vec!["", "NaN", "inf", "-0", "1e308", "x", "\"a,b\"", "\"", "é", "5e-324"])
            .prop_map(str::to_owned),
    ];
    let row = prop::collection::vec(cell, 2..4).prop_map(|cells| cells.join(","));
    let rows = prop::collection::vec(row, 0..6);
    let header = prop::sample::select(vec!["x,y", "y,x", "x,y,z", "\u{feff}x,y", "y", "y,y"]);
    let end = prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]);
    (header, rows, end).prop_map(|(header, rows, end)| {
        std::iter::once(header.to_owned()).chain(rows).collect::<Vec<_>>().join(end).into_bytes()
    })
}

fn numeric() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        3 => -3.0..3.0_f64,
        1 => prop::sample::select(vec![0.0, 1e-300, 1e12, -1e150, 1e300, 5e-324]),
    ];
    prop::collection::vec((number.clone(), number), 1..8).prop_map(|rows| {
        let line = |(x, y): &(f64, f64)| format!("{x},{y}\n");
        format!("x,y\n{}", rows.iter().map(line).collect::<String>()).into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn no_table_makes_it_panic(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), csvish(), numeric()],
        options in prop::sample::select(vec!["", " --drop-missing", " --no-scale", " --one-hot x", " --kernel linear",
            " --method sgpr --inducing 3", " --method cglb --inducing 2", " --method cglb --bound vecchia --neighbours 2",
            " --method iterative"]),
    ) {
        let place = Place::new();
        std::fs::write(place.path("t.csv"), bytes).unwrap();
        let fit = place.taut(&format!("fit t.csv --target y --starts 1 --max-iters 3 --quiet{options}"));
        prop_assert!(matches!(fit.code, Some(0..=2)), "{fit:?}");
        prop_assert!(!fit.err.contains("panicked"), "{fit:?}");
        if fit.code == Some(0) {
            for command in ["predict t.taut t.csv", "certify t.taut"] {
                let run = place.taut(&format!("{command} --quiet"));
                prop_assert!(matches!(run.code, Some(0..=1)), "{run:?}");
                prop_assert!(!run.err.contains("panicked"), "{run:?}");
            }
        } else {
            prop_assert_eq!(fit.err.lines().count(), 2, "{:?}", fit);
        }
    }

    #[test]
    fn no_model_file_makes_it_panic(
        model in 0..4_usize, cut in 0.0..1.0_f64, flip in 0..4000_usize, to in any::<u8>()
    ) {
        let place = Place::new();
        place.write("new.csv", "x\n1\n2\n");
        let mut bytes = MODELS[model].as_bytes().to_vec();
        let length = (cut * 2.0 * bytes.len() as f64) as usize;
        bytes.truncate(length.max(1));
        let at = flip % bytes.len();
        bytes[at] = to;
        std::fs::write(place.path("m.taut"), bytes).unwrap();
        let run = place.taut("predict m.taut new.csv --quiet");
        prop_assert!(matches!(run.code, Some(0..=1)), "{run:?}");
        prop_assert!(!run.err.contains("panicked"), "{run:?}");
    }
}

/// Models as `fit` writes them, one of each method.
static MODELS: std::sync::LazyLock<[String; 4]> = std::sync::LazyLock::new(|| {
    let place = Place::new();
    place.write("t.csv", "x,y\n1,2\n2,3\n3,2.5\n");
    ["exact", "sgpr --inducing 2", "cglb --inducing 2", "iterative"].map(|method| {
        place.taut(&format!("fit t.csv --target y --starts 1 --method {method}")).ok();
        place.read("t.taut")
    })
});
