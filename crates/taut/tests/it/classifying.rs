//! `taut classify`.

use serde_json::{Value, json};

use crate::support::{Place, at, close};

/// Two overlapping classes with a number, a truth value, a word and a hole now and then, the same every time.
pub(crate) fn rows(range: std::ops::Range<usize>) -> String {
    let mut text = "size,spots,colour,kind\n".to_owned();
    for i in range {
        let [a, b, c] = [0.618_034, 0.754_878, 0.414_214].map(|step| (i as f64 * step).fract());
        let bee = i % 3 == 0;
        let size =
            if b > 0.9 { String::new() } else { format!("{:.3}", a + f64::from(u8::from(bee))) };
        let spots = u8::from(c < if bee { 0.7 } else { 0.3 });
        let colour = ["red", "blue", "green"][(a * if bee { 2.0 } else { 3.0 }) as usize];
        text.push_str(&format!("{size},{spots},{colour},{}\n", if bee { "bee" } else { "ant" }));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", &rows(0..300));
    place
}

/// Predictions of a model for a table, as text.
fn predicted(place: &Place, model: &str, data: &str) -> String {
    place.taut(&format!("classify predict {model} {data}")).ok().out
}

#[track_caller]
fn same_predictions(a: &str, b: &str) {
    assert_eq!(a.lines().count(), b.lines().count());
    for (a, b) in a.lines().zip(b.lines()).skip(1) {
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let (a, b) = (split(a), split(b));
        assert_eq!(a[0], b[0]);
        a[1..].iter().zip(&b[1..]).for_each(|(a, b)| {
            close(a.parse().unwrap(), b.parse().unwrap(), 1e-10);
        });
    }
}

#[test]
fn kinds_are_inferred_and_said() {
    let place = place();
    let out = place.taut("classify fit t.csv --label kind --out m --report r.json").ok().out;
    for line in [
        "300 rows learned, 2 classes of `kind`",
        "size: gaussian (inferred)",
        "spots: bernoulli (inferred)",
        "colour: categorical (inferred)",
    ] {
        assert!(out.contains(line), "{line} in {out}");
    }
    let report = place.json("r.json");
    assert_eq!(report["n"], json!(300));
    assert_eq!(report["classes"][1], json!({"class": "bee", "weight": 100.0}));
    assert!(at(&report, "/log_evidence") < 0.0);
    assert!(report["features"].as_array().unwrap().iter().all(|f| f["log_bayes_factor"].is_f64()));
    // The label by its position, kinds by hand.
    let again = "classify fit t.csv --target 4 --kind size=gaussian --kind 2=bernoulli --kind colour=categorical --out n";
    place.taut(again).ok();
    assert_eq!(predicted(&place, "m", "t.csv"), predicted(&place, "n", "t.csv"));
}

#[test]
fn predictions_are_probabilities_of_every_class() {
    let place = place();
    place.taut("classify fit t.csv --target kind --out m").ok();
    let out = predicted(&place, "m", "t.csv");
    assert!(out.starts_with("predicted,p_ant,p_bee\n"), "{out}");
    for line in out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [ant, bee]: [f64; 2] = [1, 2].map(|at| cells[at].parse().unwrap());
        assert!((ant + bee - 1.0).abs() < 1e-14 && (cells[0] == "bee") == (bee > ant), "{line}");
    }
    let log = place.taut("classify predict m t.csv --log --keep --out p.csv").ok();
    assert_eq!(log.out, "");
    let file = place.read("p.csv");
    assert!(file.starts_with("size,spots,colour,kind,predicted,log_p_ant,log_p_bee\n"), "{file}");
    assert!(file.lines().nth(1).unwrap().starts_with("1.000,1,red,bee,"), "{file}");
    // In another process, from standard input, the same bits.
    let piped = place
        .command(&["classify", "predict", "m", "-"])
        .stdin(std::fs::File::open(place.path("t.csv")).unwrap())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), out);
}

#[test]
fn updating_and_merging_equal_fitting_at_once() {
    let place = place();
    place.write("a.csv", &rows(0..100));
    place.write("b.csv", &rows(100..300));
    place.taut("classify fit t.csv --target kind --out whole").ok();
    place.taut("classify fit a.csv --target kind --out a").ok();
    place.taut("classify fit b.csv --target kind --out b").ok();
    let whole = predicted(&place, "whole", "t.csv");
    place.taut("classify update a b.csv --out ab").ok();
    same_predictions(&predicted(&place, "ab", "t.csv"), &whole);
    place.taut("classify merge a b --out c").ok();
    same_predictions(&predicted(&place, "c", "t.csv"), &whole);
    place.taut("classify merge b a --out d").ok();
    same_predictions(&predicted(&place, "d", "t.csv"), &whole);
    // Taken out again, the rows were never there; in place of the model this time.
    let a = predicted(&place, "a", "t.csv");
    place.taut("classify update ab b.csv --remove").ok();
    same_predictions(&predicted(&place, "ab", "t.csv"), &a);
    place.taut("classify update ab b.csv --remove").refused(1, "more of", "forget only");
}

/// Elsewhere smoothing follows the last chunk: 0.0043 in two, 0.0025 in four.
#[test]
fn smoothing_does_not_depend_on_chunks() {
    let place = Place::new();
    place.write("all.csv", "x,y\n-2,0\n-1,0\n1,1\n2,1\n");
    place.write("question.csv", "x\n0.5\n");
    let rows = ["-2,0", "-1,0", "1,1", "2,1"];
    rows.iter()
        .enumerate()
        .for_each(|(at, row)| place.write(&format!("{at}.csv"), &format!("x,y\n{row}\n")));
    let fit = "--target y --kind x=gaussian --var-smoothing 0.1 --out";
    place.taut(&format!("classify fit all.csv {fit} all")).ok();
    place.taut(&format!("classify fit 0.csv {fit} parts")).ok();
    (1..4).for_each(|at| drop(place.taut(&format!("classify update parts {at}.csv")).ok()));
    for model in ["all", "parts"] {
        let out = predicted(&place, model, "question.csv");
        let p: f64 = out.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
        close(p, 0.047_425_873_177_566_76, 1e-10);
    }
}

#[test]
fn columns_and_classes_come_and_go() {
    let place = place();
    place.taut("classify fit t.csv --target kind --out m").ok();
    place.write("later.csv", "kind,spots,stings\nwasp,1,2.5\nant,0,0.5\nbee,1,1.5\nbee,1,2\n");
    let out = place.taut("classify update m later.csv").ok().out;
    for said in [
        "`size` is not in the table",
        "`colour` is not in the table",
        "`stings` is new: gaussian",
        "3 classes",
    ] {
        assert!(out.contains(said), "{said} in {out}");
    }
    let run = place.taut("classify predict m t.csv").ok();
    assert!(run.out.starts_with("predicted,p_ant,p_bee,p_wasp\n"));
    assert!(run.err.contains("`stings` is not in the table"), "{}", run.err);
}

#[test]
fn weights_count_as_copies_and_unlabelled_rows_are_refused_or_left_out() {
    let place = Place::new();
    place.write("w.csv", "x,n,y\n1,2,a\n3,1,b\n5,1,b\n9,0,b\n");
    place.write("c.csv", "x,y\n1,a\n1,a\n3,b\n5,b\n,\n");
    place.taut("classify fit w.csv --target y --weights n --out w").ok();
    place.taut("classify fit c.csv --target y --out c").refused(1, "row 5", "--skip-unlabelled");
    let out = place.taut("classify fit c.csv --target y --out c --skip-unlabelled").ok().out;
    assert!(out.contains("1 rows have no class"), "{out}");
    same_predictions(&predicted(&place, "w", "c.csv"), &predicted(&place, "c", "c.csv"));
    place.taut("classify evaluate w c.csv --skip-unlabelled").ok();
    place.write("w.csv", "x,n,y\n1,-2,a\n3,1,b\n");
    place.taut("classify fit w.csv --target y --weights n").refused(1, "row 1", "correct the cell");
}

#[test]
fn options_are_kept_and_can_be_changed_without_the_data() {
    let place = place();
    place.taut("classify fit t.csv --target kind --smoothing 0.5 --prior ant=0.5 --prior bee=0.5 --out m").ok();
    place.taut("classify fit t.csv --target kind --out n").ok();
    let changed = place.taut("classify predict n t.csv --smoothing 0.5 --prior uniform").ok().out;
    assert_eq!(predicted(&place, "m", "t.csv"), changed);
    assert_ne!(predicted(&place, "n", "t.csv"), changed);
    let fit = "classify fit t.csv --target kind --out o";
    place.taut(&format!("{fit} --prior ant=0.5")).refused(1, "`bee`", "--prior CLASS=P");
    place.taut(&format!("{fit} --prior ant=0.5 --prior bee=0.6")).refused(
        1,
        "1.1",
        "adding up to 1",
    );
    place.taut(&format!("{fit} --prior ant")).refused(2, "--prior ant", "CLASS=P");
    place.taut(&format!("{fit} --smoothing -1")).code_is(2);
}

#[test]
fn evaluation_reports_everything() {
    let place = place();
    place.taut("classify fit t.csv --target kind --out m").ok();
    let out = place.taut("classify evaluate m t.csv --report e.json").ok().out;
    assert!(out.contains("rows actual, columns predicted") && out.contains("none missed"), "{out}");
    let report = place.json("e.json");
    let confusion: Vec<Vec<u64>> = serde_json::from_value(report["confusion"].clone()).unwrap();
    assert_eq!(report["classes"], json!(["ant", "bee"]));
    assert_eq!(confusion[0].iter().sum::<u64>(), 200, "rows are actual classes");
    let right = (confusion[0][0] + confusion[1][1]) as f64 / 300.0;
    close(at(&report, "/accuracy"), right, 1e-15);
    let (auc, loss) = (at(&report, "/auc"), at(&report, "/log_loss"));
    assert!(auc > 0.8 && auc < 1.0 && loss > 0.0 && loss < 0.6, "{report:#}");
    assert!(at(&report, "/brier") < 0.25 && at(&report, "/log_evidence") < 0.0);
    let thresholds = report["thresholds"].as_array().unwrap();
    assert_eq!(thresholds[0]["confusion"][1][0], json!(0), "the lowest threshold misses nobody");
    assert_eq!(report["no_false_negative"]["confusion"][1], json!([0, 100]));
    let bins = report["calibration"]["bins"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["n"].as_u64().unwrap()).sum::<u64>(), 300);
    let recall = |at: usize| report["per_class"][at]["recall"].as_f64().unwrap();
    close(recall(1), confusion[1][1] as f64 / 100.0, 1e-15);
    assert_eq!(report["k_fold"], Value::Null);
    place.taut("classify evaluate m t.csv --positive wasp").refused(2, "`wasp`", "`ant`");
}

#[test]
fn folds_are_judged_by_models_of_the_others() {
    let place = place();
    // Alone in its class: a model of the others gives it nothing.
    place.write("t.csv", &(rows(0..40) + "0.5,1,red,wasp\n"));
    place.taut("classify fit t.csv --target kind --out m").ok();
    let run = place.taut("classify evaluate m t.csv --k-fold 5 --report e.json").ok();
    assert!(run.out.contains("infinite"), "{}", run.out);
    let report = place.json("e.json");
    assert_eq!((&report["n"], &report["k_fold"]), (&json!(41), &json!(5)));
    assert_eq!(report["classes"], json!(["ant", "bee", "wasp"]));
    assert_eq!(report["confusion"][2][2], json!(0));
    assert_eq!(report["log_loss"], Value::Null);
    let again = place.taut("classify evaluate m t.csv --k-fold 5 --threads 1").ok().out;
    assert_eq!(again, run.out);
    place.taut("classify evaluate m t.csv --k-fold 1").refused(2, "nothing to learn", "2 or more");
    place.taut("classify evaluate m t.csv --k-fold 99").refused(
        2,
        "99 parts of 41 rows",
        "smaller",
    );
    place.taut("classify evaluate m - --k-fold 3").refused(2, "twice", "file");
}

#[test]
fn explanations_add_up_to_the_log_odds() {
    let place = place();
    place.taut("classify fit t.csv --target kind --out m").ok();
    let out = place.taut("classify explain m t.csv --rows 2,5-6 --report x.json").ok().out;
    assert!(out.contains("row 5: predicted") && out.contains("colour = "), "{out}");
    let report = place.json("x.json");
    let rows = report.as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["row"].clone()).collect::<Vec<_>>(),
        [2, 5, 6].map(|n| json!(n))
    );
    for row in rows {
        let parts = row["contributions"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| part["log_odds"].as_f64().unwrap()).sum();
        close(sum + at(row, "/prior_log_odds"), at(row, "/log_odds"), 1e-10);
        assert_eq!((&row["class"], &row["against"]), (&json!("bee"), &json!("ant")));
    }
    let other = place.taut("classify explain m t.csv --rows 2 --class ant").ok().out;
    assert!(other.contains("of ant against bee"), "{other}");
    place.taut("classify explain m t.csv --rows 301").refused(2, "no row 301", "--rows");
    place.taut("classify explain m t.csv --rows 0").refused(2, "--rows 0", "from 1");
    place.taut("classify explain m t.csv --class ant --against ant").refused(
        2,
        "for and against",
        "two",
    );
}

#[test]
fn lists_words_and_counts_become_tags_and_terms() {
    let place = Place::new();
    place.write(
        "t.csv",
        "genre,text,he,she,y\nWar|Drama,to be or not,1,0,a\nWar,to be,2,1,a\nComedy,\"ha, ha\",0,3,b\n,ha,0,2,b\n",
    );
    let fit = "classify fit t.csv --target y --kind genre=tags --kind text=words --kind he=multinomial --kind she=multinomial --out m --report r.json";
    place.taut(fit).ok();
    let report = place.json("r.json");
    let features = report["features"].as_array().unwrap();
    let names: Vec<&str> = features.iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["genre=War", "genre=Drama", "genre=Comedy", "text", "counts"]);
    assert_eq!(features[4]["levels"], json!(2));
    place.write("new.csv", "genre,text,he,she\nWar,be,1,0\n,ha ha,0,1\n");
    let out = predicted(&place, "m", "new.csv");
    let classes: Vec<&str> = out.lines().skip(1).map(|line| &line[..1]).collect();
    assert_eq!(classes, ["a", "b"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    let place = Place::new();
    let mut command = place.command(&["classify", "fit", "-", "--target", "kind", "--out", "m"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut table = child.stdin.take().unwrap();
    // Rows without end, until nobody reads them.
    let endless = std::thread::spawn(move || {
        let text = rows(0..8192);
        let (header, body) = text.split_once('\n').unwrap();
        let mut more = writeln!(table, "{header}");
        while more.is_ok() {
            more = table.write_all(body.as_bytes());
        }
    });
    let mut stderr = child.stderr.take().unwrap();
    let mut seen = [0; 5];
    stderr.read_exact(&mut seen).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    assert!(told.contains("error: interrupted\nhelp: nothing was kept"), "{told}");
    endless.join().unwrap();
    assert_eq!(place.names(), Vec::<String>::new());
}
