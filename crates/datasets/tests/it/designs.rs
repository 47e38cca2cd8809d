//! Matrices made from tables.

use datasets::{Encoder, Input, Missing, Notice, Role, Roles, design};
use ndarray::array;

use crate::support::{read, strings, try_design};

#[test]
fn features_are_the_rest_in_the_order_of_the_table_or_as_named() {
    let table = read("b,y,a,z\n1,2,3,4\n5,6,7,8\n");
    let rest = design(&table, &Roles::target("y")).unwrap();
    assert_eq!(
        (rest.feature_names, rest.x),
        (strings(&["b", "a", "z"]), array![[1.0, 3.0, 4.0], [5.0, 7.0, 8.0]])
    );
    let named =
        design(&table, &Roles { features: Some(strings(&["z", "b"])), ..Roles::target("y") })
            .unwrap();
    assert_eq!(
        (named.feature_names, named.x),
        (strings(&["z", "b"]), array![[4.0, 1.0], [8.0, 5.0]])
    );
    let drop = design(&table, &Roles { drop: strings(&["a"]), ..Roles::target("y") }).unwrap();
    assert_eq!((drop.feature_names, drop.kept_rows), (strings(&["b", "z"]), vec![0, 1]));
}

#[test]
fn several_targets_keep_their_order() {
    let roles = Roles { targets: strings(&["u", "y"]), ..Roles::default() };
    let made = design(&read("y,x,u\n1,2,3\n4,5,6\n"), &roles).unwrap();
    assert_eq!(
        (made.y, made.x, made.target_names),
        (array![[3.0, 1.0], [6.0, 4.0]], array![[2.0], [5.0]], strings(&["u", "y"]))
    );
}

/// Case 40: integers and their decimal forms are the same numbers.
#[test]
fn integers_are_numbers() {
    let (integers, decimals) =
        (try_design("x,y\n1,2\n3,4\n").unwrap(), try_design("x,y\n1.0,2.0\n3e0,+4\n").unwrap());
    assert_eq!((integers.x, integers.y), (decimals.x, decimals.y));
}

#[test]
fn one_hot_of_text_and_of_numbers() {
    let roles = Roles { one_hot: strings(&["c", "n"]), ..Roles::target("y") };
    let made = design(&read("c,x,n,y\nb,1,10,0\na,2,2.0,0\nb,3,2,1\n"), &roles).unwrap();
    assert_eq!(made.feature_names, ["c=a", "c=b", "x", "n=2", "n=10"]);
    assert_eq!(made.x, array![[0., 1., 1., 0., 1.], [1., 0., 2., 1., 0.], [0., 1., 3., 1., 0.]]);
    let mixed = design(
        &read("c,y\n3+,1\n2,2\n1,3\n-0,4\n0,5\n"),
        &Roles { one_hot: strings(&["c"]), ..Roles::target("y") },
    )
    .unwrap();
    assert_eq!(mixed.feature_names, ["c=0", "c=1", "c=2", "c=3+"]);
}

#[test]
fn one_hot_columns_join_the_features_named() {
    let roles =
        Roles { features: Some(strings(&["x"])), one_hot: strings(&["c"]), ..Roles::target("y") };
    let made = design(&read("c,z,x,y\na,0,1,2\nb,0,3,4\n"), &roles).unwrap();
    assert_eq!(made.feature_names, ["x", "c=a", "c=b"]);
}

#[test]
fn levels_do_not_depend_on_the_order_of_rows() {
    let roles = Roles { one_hot: strings(&["c"]), ..Roles::target("y") };
    let encoder = |text| design(&read(text), &roles).unwrap().encoder;
    assert_eq!(encoder("c,y\nb,1\n10,2\na,3\n9,4\n"), encoder("c,y\n9.0,4\na,3\n10,2\nb,1\n"));
}

#[test]
fn an_encoder_survives_json() {
    let roles = Roles { one_hot: strings(&["c"]), ..Roles::target("y") };
    let encoder = design(&read("c,x,y\na,1,2\n\"b, \"\"q\"\"\",3,4\n"), &roles).unwrap().encoder;
    let json = serde_json::to_string(&encoder).unwrap();
    assert_eq!(serde_json::from_str::<Encoder>(&json).unwrap(), encoder);
    assert_eq!(encoder.inputs()[1], Input::Number { column: "x".into() });
    assert_eq!((encoder.n_features(), encoder.target_names()), (3, &strings(&["y"])[..]));
}

#[test]
fn prediction_needs_no_target_and_no_order() {
    let encoder = try_design("a,b,y\n1,2,3\n4,5,6\n").unwrap().encoder;
    assert_eq!(encoder.encode(&read("b,other,a\n2,red,1\n")).unwrap(), array![[1.0, 2.0]]);
}

#[test]
fn test_sets_are_made_by_the_training_set_encoder() {
    let roles = Roles { one_hot: strings(&["c"]), ..Roles::target("y") };
    let train = design(&read("c,y\na,1\nb,2\n"), &roles).unwrap();
    let test = train.encoder.design(&read("y,c\n5,b\n,a\n"), Missing::DropRows).unwrap();
    assert_eq!((test.x, test.y, test.kept_rows), (array![[0.0, 1.0]], array![[5.0]], vec![0]));
}

/// Cases 33 and 34: constant columns and a single row are data, with a notice.
#[test]
fn constant_columns_and_single_rows_are_noticed() {
    let made = try_design("x,zero,big,y\n1,0,1e9,7\n2,0,1000000000.00001,7\n3,0,1e9,7\n").unwrap();
    let named: Vec<(&str, Role)> = made
        .notices
        .iter()
        .map(|notice| match notice {
            Notice::ConstantColumn { name, role, .. } => (name.as_str(), *role),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(named, [("zero", Role::Feature), ("big", Role::Feature), ("y", Role::Target)]);
    assert_eq!(
        made.notices[0].to_string(),
        "feature `zero` is 0 in every row: it carries no information"
    );
    let one = try_design("x,y\n0,2\n").unwrap();
    assert_eq!((one.x.dim(), one.notices), ((1, 1), vec![Notice::OneRow]));
    assert!(try_design("x,y\n1,2\n1.00001,3\n").unwrap().notices.is_empty());
    assert!(try_design("x,y\n1e308,2\n-1e308,3\n").unwrap().notices.is_empty(), "no overflow");
}
