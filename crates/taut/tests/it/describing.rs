//! `taut data describe`.

use serde_json::json;

use crate::support::Place;

#[test]
fn columns_are_described() {
    let place = Place::new();
    place.write("t.csv", "id,colour,x,k\n1,red,0.5,7\n2,blue,,7\n3,red,2.5,7\n3,red,2.5,7\n");
    let out = place.taut("data describe t.csv --report d.json").ok().out;
    assert!(out.contains("t.csv: 4 rows, 4 columns"), "{out}");
    assert!(out.contains("constant"), "{out}");
    let report = place.json("d.json");
    assert_eq!(report["rows"], json!(4));
    assert_eq!(report["duplicate_rows"], json!(1));
    let x = &report["columns"][2];
    assert_eq!((&x["name"], &x["missing"], &x["max"]), (&json!("x"), &json!(1), &json!(2.5)));
}

#[test]
fn what_is_no_table_is_refused() {
    let place = Place::new();
    place.taut("data describe none.csv").refused(1, "does not exist", "path");
    place.write("t.csv", "a,a\n1,2\n");
    place.taut("data describe t.csv --report d.json").refused(1, "both named `a`", "rename");
    place.write("t.csv", "a,b\n1,2\n");
    place.taut("data describe t.csv --report no/d.json").refused(1, "no/d.json", "");
    place.taut("data").code_is(2);
}
