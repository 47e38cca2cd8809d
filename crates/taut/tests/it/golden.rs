//! Golden values computed in 256 bits by another program, reached from the shell.

use serde_json::{Value, json};

use crate::support::{Place, at, close, numbers};

fn csv(header: &str, x: &Value, y: Option<&Value>) -> String {
    let mut text = format!("{header}\n");
    for (index, row) in x.as_array().unwrap().iter().enumerate() {
        let mut cells: Vec<String> = row.as_array().unwrap().iter().map(Value::to_string).collect();
        cells.extend(y.map(|y| y[index].to_string()));
        text.push_str(&format!("{}\n", cells.join(",")));
    }
    text
}

#[test]
fn every_kernel_on_two_columns_agrees() {
    let golden: Value = serde_json::from_str(include_str!("../golden/gp-d2.json")).unwrap();
    let place = Place::new();
    let data = &golden["dataset"];
    place.write("d2.csv", &csv("p,q,y", &data["x"], Some(&data["y"])));
    place.write("new.csv", &csv("p,q", &data["x_test"], None));
    for case in golden["cases"].as_array().unwrap() {
        let params = json!({
            "kernel": case["kernel"], "noise_variance": case["noise_variance"], "mean": case["mean"],
        });
        place.write("p.json", &params.to_string());
        let report = place.fit("d2.csv --target y --params p.json --no-train --no-scale");
        close(at(&report, "/lml/exact"), at(case, "/lml"), 1e-9);
        assert!(at(&report, "/lml/lower") <= at(case, "/lml"), "{}", case["name"]);
        assert!(at(&report, "/lml/upper") >= at(case, "/lml"), "{}", case["name"]);
        let rows = numbers(&place.taut("predict d2.taut new.csv").ok().out);
        for (row, predicted) in rows.iter().enumerate() {
            close(predicted[0], at(case, &format!("/predict/mean/{row}")), 1e-8);
            close(predicted[1], at(case, &format!("/predict/var_f/{row}")), 1e-8);
        }
    }
}
