//! Roles that do not fit the table, and encoders that do not.

use datasets::{DataError, MAX_LEVELS, Missing, Role, Roles, design};

use crate::{
    assert_error,
    support::{read, strings},
};

const TABLE: &str = "latitude,longitude,colour,depth\n1,2,red,3\n4,5,blue,6\n7,8,red,10\n";

fn roles() -> Roles {
    Roles { drop: strings(&["colour"]), ..Roles::target("depth") }
}

#[test]
fn columns_that_do_not_exist() {
    let table = read(TABLE);
    assert_error!(
        design(&table, &Roles::target("dept")),
        DataError::UnknownColumn { role: Role::Target, .. },
        "no column `dept` (asked for as target)",
        "`latitude`, `longitude`",
        "did you mean `depth`?",
    );
    assert_error!(
        design(&table, &Roles::target("Depth")),
        DataError::UnknownColumn { .. },
        "did you mean `depth`?"
    );
    assert_error!(
        design(&table, &Roles::target("pressure")),
        DataError::UnknownColumn { nearest: None, .. },
        "check the name"
    );
    let features = Roles { features: Some(strings(&["lattitude"])), ..roles() };
    assert_error!(
        design(&table, &features),
        DataError::UnknownColumn { role: Role::Feature, .. },
        "`latitude`?"
    );
    let drop = Roles { drop: strings(&["color"]), ..roles() };
    assert_error!(
        design(&table, &drop),
        DataError::UnknownColumn { role: Role::Dropped, .. },
        "`colour`?"
    );
}

#[test]
fn roles_that_contradict_each_other() {
    let table = read(TABLE);
    let conflict = |changed: Roles, first: &str, second: &str| {
        assert_error!(
            design(&table, &changed),
            DataError::RoleConflict { .. },
            first,
            second,
            "name it once"
        );
    };
    conflict(
        Roles { features: Some(strings(&["latitude", "depth"])), ..roles() },
        "as target",
        "as feature",
    );
    conflict(Roles { drop: strings(&["depth"]), ..roles() }, "as target", "as dropped column");
    conflict(Roles { one_hot: strings(&["depth"]), ..roles() }, "as target", "as one-hot");
    conflict(Roles { one_hot: strings(&["colour"]), ..roles() }, "as dropped column", "as one-hot");
    conflict(
        Roles { features: Some(strings(&["colour"])), ..roles() },
        "as dropped column",
        "as feature",
    );
}

#[test]
fn columns_named_twice() {
    let table = read(TABLE);
    let twice = Roles { targets: strings(&["depth", "depth"]), ..roles() };
    assert_error!(
        design(&table, &twice),
        DataError::RepeatedColumn { role: Role::Target, .. },
        "`depth`",
        "twice"
    );
    let twice = Roles { features: Some(strings(&["latitude", "latitude"])), ..roles() };
    assert_error!(
        design(&table, &twice),
        DataError::RepeatedColumn { role: Role::Feature, .. },
        "`latitude`"
    );
}

#[test]
fn nothing_to_predict_or_to_predict_from() {
    assert_error!(
        design(&read(TABLE), &Roles::default()),
        DataError::NoTarget { .. },
        "no target",
        "`depth`"
    );
    assert_error!(
        design(&read("y\n1\n2\n"), &Roles::target("y")),
        DataError::NoFeatures { .. },
        "1 column,",
        "semicolon"
    );
    let none = Roles { features: Some(Vec::new()), ..roles() };
    assert_error!(design(&read(TABLE), &none), DataError::NoFeatures { .. }, "feature");
}

#[test]
fn too_many_levels() {
    let rows: String = (0..=MAX_LEVELS).map(|i| format!("id{i},{i}\n")).collect();
    let roles = Roles { one_hot: strings(&["id"]), ..Roles::target("y") };
    let result = design(&read(&format!("id,y\n{rows}")), &roles);
    assert_error!(
        result,
        DataError::TooManyLevels { levels: 101, most: 100, .. },
        "`id` has 101 different values",
        "at most 100"
    );
}

#[test]
fn feature_names_stay_unique() {
    let table = read("c,c=a,y\na,1,2\nb,2,3\n");
    let roles = Roles { one_hot: strings(&["c"]), ..Roles::target("y") };
    assert_error!(design(&table, &roles), DataError::FeatureNameTaken { .. }, "`c=a`", "rename");
}

#[test]
fn other_tables_must_fit_the_encoder() {
    let roles = Roles { one_hot: strings(&["colour"]), ..Roles::target("depth") };
    let encoder = design(&read(TABLE), &roles).unwrap().encoder;
    assert_error!(
        encoder.encode(&read("latitude,lonGitude,colour\n1,2,red\n")),
        DataError::MissingColumn { role: Role::Feature, .. },
        "lacks the column `longitude`",
        "did you mean `lonGitude`?",
    );
    assert_error!(
        encoder.encode(&read("latitude,longitude,colour\n1,2,red\n1,2,green\n")),
        DataError::UnseenLevel { place, .. } if place.row == 2,
        "row 2 (line 3), column `colour` holds `green`",
        "`blue`, `red`",
    );
    assert_error!(
        encoder.encode(&read("latitude,longitude,colour\nx,2,red\n")),
        DataError::NotANumber { .. },
        "column `latitude`"
    );
    assert_error!(
        encoder.encode(&read("latitude,longitude,colour\n1,,red\n")),
        DataError::MissingCell { .. },
        "column `longitude`"
    );
    assert_error!(
        encoder.encode(&read("latitude,longitude,colour\n1,2,\n")),
        DataError::MissingCell { .. },
        "column `colour`"
    );
    assert_error!(
        encoder.design(&read("latitude,longitude,colour\n1,2,red\n"), Missing::Refuse),
        DataError::MissingColumn { role: Role::Target, .. },
        "`depth`, a target",
    );
}
