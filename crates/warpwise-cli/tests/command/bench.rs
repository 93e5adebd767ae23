//! Timing of the cases of test blocks.

use crate::common::Folder;
use crate::devices::devices;

const PROGRAM: &str = "-- ==
-- entry: main
-- \"small\" input { [1, 2, 3] } output { 6 }
-- random input { [1000]i32 }
-- \"left out\" nobench input { [1] }
-- input { empty([0]i32) } error: nothing

-- ==
-- entry: fill
-- random input { [100]i32 7i32 }

entry main (xs: []i32) : i32 = i32.sum xs
entry fill (xs: *[]i32) (x: i32) = xs with [0] = x";

#[test]
fn figures_are_printed_and_written_as_data() {
    let folder = Folder::with(PROGRAM);
    let text = folder.run(&["bench", "p.fut", "--json", "out.json", "--runs", "5"]).succeeds();
    for part in ["main: small", "main: [1000]i32", "fill: [100]i32 7i32", "GB/s"] {
        assert!(text.contains(part), "{text}");
    }
    let json = std::fs::read_to_string(folder.path("out.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(report["machine"]["threads"].as_u64().unwrap() > 0, "{json}");
    assert!(!report["machine"]["processor"].as_str().unwrap().is_empty());
    let figures: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|one| one.as_object().unwrap()).collect();
    let cases: Vec<_> = figures.iter().map(|one| one["case"].as_str().unwrap()).collect();
    assert_eq!(cases, ["small", "[1000]i32", "[100]i32 7i32"]);
    for one in &figures {
        let mut keys: Vec<_> = one.keys().map(String::as_str).collect();
        keys.sort();
        assert_eq!(keys, ["bytes", "case", "entry", "max_us", "median_us", "min_us", "program", "runs"]);
        let number = |key: &str| one[key].as_f64().unwrap();
        assert!(0.0 < number("min_us") && number("min_us") <= number("median_us"));
        assert!(number("median_us") <= number("max_us"));
        assert_eq!(number("runs"), 5.0);
        assert_eq!(one["program"], "p.fut");
    }
    assert_eq!(figures[0]["bytes"], 16);
    let compared = folder.run(&["bench", "p.fut", "--runs", "5", "--compare", "out.json"]).succeeds();
    let is_ratio = |line: &&str| line.trim_end().ends_with('x');
    assert_eq!(compared.lines().filter(is_ratio).count(), 3, "{compared}");
    folder.write("other.json", "[]");
    folder
        .run(&["bench", "p.fut", "--compare", "other.json"])
        .fails(1, &["other.json: these are no figures"]);
}

#[test]
fn one_entry_point_can_be_chosen_and_runs_repeat_until_stable() {
    let folder = Folder::with(PROGRAM);
    let json = folder.run(&["bench", "p.fut", "-e", "fill", "--json", "-"]).succeeds();
    assert!(json.contains("\"entry\": \"fill\"") && !json.contains("\"entry\": \"main\""), "{json}");
    folder.run(&["bench", "p.fut", "-e", "nothing"]).fails(1, &["no case to time", "`nothing`"]);
}

#[test]
fn wrong_results_are_not_timed() {
    let folder = Folder::with("-- ==\n-- input { 1 } output { 3 }\nentry main (x: i32) = x + 1");
    folder.run(&["bench", "p.fut"]).fails(1, &["main: 1", "wrong result", "3i32 expected, got 2i32"]);
    // The other cases are timed.
    let program = "-- ==\n-- input { 0 }\n-- input { 1 } output { 3 }\n-- input { 2 } output { 5 }
entry main (x: i32) = 10 / x";
    let folder = Folder::with(program);
    let ran = folder.run(&["bench", "p.fut", "--runs", "2", "--json", "out.json"]);
    assert!(String::from_utf8_lossy(&ran.output).contains("main: 2"), "{}", ran.errors);
    ran.fails(1, &["main: 0: p.fut:5:", "division by zero", "main: 1: wrong result"]);
    let json = std::fs::read_to_string(folder.path("out.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["cases"].as_array().unwrap().len(), 1);
}

#[test]
fn wrong_test_blocks_are_located() {
    let folder = Folder::with("-- ==\n-- input { 1 output { 3 }\nentry main (x: i32) = x + 1");
    folder.run(&["bench", "p.fut"]).fails(2, &["p.fut:2:"]);
    let folder = Folder::with("-- ==\n-- input {\n--   x }\nentry main (x: i32) = x + 1");
    folder.run(&["bench", "p.fut"]).fails(1, &["p.fut:3:6"]);
    let folder = Folder::with("-- ==\n-- input @ nowhere.in\nentry main (x: i32) = x + 1");
    folder.run(&["bench", "p.fut"]).fails(1, &["nowhere.in"]);
}

#[test]
fn arrays_that_lie_on_a_device_are_timed_there() {
    let folder = Folder::with(PROGRAM);
    for device in devices() {
        let words = ["bench", "p.fut", "--device", device, "--resident", "--runs", "2", "--json", "o.json"];
        folder.run(&words).succeeds();
        let json = std::fs::read_to_string(folder.path("o.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        let cases: Vec<_> = report["cases"].as_array().unwrap().iter().map(|one| &one["case"]).collect();
        assert_eq!(cases, ["small", "[1000]i32", "[100]i32 7i32"]);
        assert!(report["options"].as_array().unwrap().contains(&"--resident".into()), "{report}");
    }
    let wrong = PROGRAM.replace("output { 6 }", "output { 7 }");
    for device in devices() {
        Folder::with(&wrong)
            .run(&["bench", "p.fut", "--device", device, "--resident", "--runs", "1"])
            .fails(1, &["main: small", "wrong result"]);
    }
}
