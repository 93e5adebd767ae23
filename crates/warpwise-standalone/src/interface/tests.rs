//! Names of types, in the language and in C.

use warpwise_ir::{EntryParam, Variant};

use super::*;

fn scalar(ty: ValueType) -> EntryType {
    EntryType::Scalar(ty)
}

fn record(name: &str, fields: &[(&str, EntryType)]) -> EntryType {
    let fields = fields.iter().map(|(name, ty)| (name.to_string(), ty.clone())).collect();
    EntryType::Opaque { name: name.to_string(), fields, form: OpaqueForm::Record }
}

fn array(name: &str, element: &EntryType, rank: usize) -> EntryType {
    match raised(element, rank) {
        EntryType::Opaque { fields, form, .. } => EntryType::Opaque { name: name.to_string(), fields, form },
        plain @ (EntryType::Scalar(_) | EntryType::Array(..)) => plain,
    }
}

fn point(name: &str) -> EntryType {
    record(name, &[("x", scalar(ValueType::F32)), ("y", scalar(ValueType::F32))])
}

fn entry(name: &str, params: Vec<EntryType>, results: Vec<EntryType>) -> EntryPoint {
    let param = |ty| EntryParam { name: String::new(), consumed: false, ty };
    let params = params.into_iter().map(param).collect();
    let results = results.into_iter().map(EntryResult::from).collect();
    EntryPoint { name: name.to_string(), size_params: 0, params, size_results: 0, tuple: None, results }
}

fn names(points: &[EntryPoint]) -> Vec<(String, String)> {
    let interface = Interface::of(points.iter(), Naming::default());
    interface.types.into_iter().map(|ty| (ty.name, ty.c_name)).collect()
}

#[test]
fn types_have_names() {
    let tuple =
        record("(i32, []f32)", &[("0", scalar(ValueType::I32)), ("1", EntryType::Array(ValueType::F32, 1))]);
    let points = [
        entry("a", vec![array("[]point", &point("point"), 1), tuple], vec![point("{x: f32, y: f32}")]),
        entry(
            "b",
            vec![array(
                "[][](i32, i32)",
                &record("(i32, i32)", &[("0", scalar(ValueType::I32)), ("1", scalar(ValueType::I32))]),
                2,
            )],
            vec![],
        ),
    ];
    let names = names(&points);
    let names: Vec<(&str, &str)> = names.iter().map(|(name, c)| (name.as_str(), c.as_str())).collect();
    assert_eq!(
        names,
        [
            ("point", "opaque_point"),
            ("[]f32", "f32_1d"),
            ("[]point", "opaque_arr1d_point"),
            ("(i32, []f32)", "opaque_tup2_i32_arr1d_f32"),
            ("(i32, i32)", "opaque_tup2_i32_i32"),
            ("[][]i32", "i32_2d"),
            ("[][](i32, i32)", "opaque_arr2d_tup2_i32_i32"),
            ("()", "opaque_unit"),
        ],
        "the record that is called nothing is the point"
    );
}

#[test]
fn results_are_one_value() {
    let points = [
        entry("f'", vec![], vec![scalar(ValueType::I32), scalar(ValueType::Bool)]),
        entry("f_", vec![], vec![]),
    ];
    let interface = Interface::of(points.iter(), Naming::default());
    let [first, second] = interface.entries.as_slice() else { panic!() };
    assert_eq!(interface.name(first.output.ty), "(i32, bool)");
    let types: Vec<TypeRef> = first.outputs.iter().map(|output| output.ty).collect();
    assert_eq!(types, [TypeRef::Scalar(ValueType::I32), TypeRef::Scalar(ValueType::Bool)]);
    assert_eq!((first.c_name.as_str(), second.c_name.as_str()), ("fzq", "f_"));
    assert_eq!(interface.name(second.output.ty), "()");
    assert_eq!(interface.find("(i32, bool)"), Some(first.output.ty));
    assert_eq!(interface.find("u8"), Some(TypeRef::Scalar(ValueType::U8)));
    assert_eq!(interface.find("nothing"), None);
}

#[test]
fn stars_and_names_of_results_are_kept() {
    let mut point = entry("f", vec![], vec![EntryType::Array(ValueType::I32, 1), scalar(ValueType::Bool)]);
    point.results[0].unique = true;
    let apart = Interface::of([&point].into_iter(), Naming::default());
    let stars: Vec<bool> = apart.entries[0].outputs.iter().map(|output| output.unique).collect();
    assert_eq!((stars, apart.entries[0].output.unique), (vec![true, false], true));
    point.tuple = Some("pair".into());
    let named = Interface::of([&point].into_iter(), Naming::default());
    let [entry] = named.entries.as_slice() else { panic!() };
    assert_eq!((named.name(entry.output.ty), entry.outputs.as_slice()), ("pair", &[entry.output][..]));
}

#[test]
fn types_of_one_name_are_told_apart() {
    let other = record("point", &[("z", scalar(ValueType::I32))]);
    let names = names(&[entry("f", vec![point("point"), other], vec![scalar(ValueType::I32)])]);
    assert_eq!(names[0].0, "point");
    assert_eq!(names[1].0, "point_1");
    assert_eq!(names[1].1, "opaque_point_1");
}

#[test]
fn what_c_has_no_name_for_gets_digits() {
    let variants = vec![
        Variant { name: "none".into(), payload: vec![] },
        Variant { name: "some".into(), payload: vec![(scalar(ValueType::I32), vec![1])] },
    ];
    let fields = vec![("tag".into(), scalar(ValueType::U8)), ("0".into(), scalar(ValueType::I32))];
    let sum = EntryType::Opaque { name: "#none | #some i32".into(), fields, form: OpaqueForm::Sum(variants) };
    let names = names(&[entry("f", vec![array("", &sum, 1)], vec![sum])]);
    assert_eq!(names[0].0, "#none | #some i32");
    assert_eq!(names[0].1.len(), "opaque_".len() + 32);
    assert_eq!(names[1].0, "[](#none | #some i32)");
}
