//! Search for values of tuning parameters by measurement.

use crate::common::Folder;
use crate::devices::devices;

/// A program that is slow below `limit`; its results do not depend on `limit`. Host code is far slower than a kernel, so that no
/// measurement can mistake one for the other.
const PROGRAM: &str = "-- ==
-- entry: main
-- \"small\" input { 100i64 } output { 100i64 }
-- \"large\" input { 5000i64 }
-- \"left out\" notune input { 0i64 }
-- input { -1i64 } error: negative

entry main (n: i64) : i64 =
  let n = assert (n >= 0) n
  in if n < #[param(limit)] 1000
     then let x = loop x = 1 for i < 300000 do (x * 3 + i) % 1009 in if x < 0 then 0 else n
     else n

entry none (x: i32) = x + 1";

#[test]
fn thresholds_are_found_written_and_read() {
    let folder = Folder::with(PROGRAM);
    let said = folder.run(&["autotune", "p.fut", "--runs", "2"]).succeeds();
    for part in
        ["main: small", "main: large", "limit=100 (default 1000)", "100 (main: small)", "5000 (main: large)"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("left out"), "{said}");
    let written = std::fs::read_to_string(folder.path("p.fut.tuning")).unwrap();
    assert!(written.starts_with("# ") && written.ends_with("\nlimit=100\n"), "{written}");
    folder.run(&["run", "p.fut", "100", "--tuning", "p.fut.tuning"]).succeeds();
    folder.run(&["bench", "p.fut", "--runs", "1"]).succeeds();
}

#[test]
fn values_may_be_given_instead_of_test_cases() {
    let folder = Folder::with(PROGRAM);
    let said = folder.run(&["autotune", "p.fut", "700", "--output", "out.tuning"]).succeeds();
    assert!(said.contains("limit=700 (default 1000); compared with 700 (main: 700)"), "{said}");
    assert!(folder.path("out.tuning").is_file() && !folder.path("p.fut.tuning").exists());
    let said = folder.run(&["autotune", "p.fut", "-e", "none", "7"]).succeeds();
    assert!(said.contains("the runs use no tuning parameters"), "{said}");
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let folder = Folder::with(PROGRAM);
    folder.run(&["autotune", "p.fut", "-e", "none"]).fails(1, &["no case to measure", "`none`"]);
    folder.run(&["autotune", "p.fut", "-e", "nowhere", "1"]).fails(1, &["nowhere"]);
    folder.run(&["autotune", "p.fut", "-1"]).fails(1, &["p.fut:9:"]);
    let wrong = "-- ==\n-- input { 1i64 } output { 3i64 }\nentry main (x: i64) = x + i64.bool (x < #[param(limit)] 9)";
    Folder::with(wrong).run(&["autotune", "p.fut"]).fails(1, &["main: 1", "wrong result", "3i64 expected"]);
}

#[test]
fn where_there_is_nothing_to_tune_that_is_said_at_once() {
    let folder = Folder::with("entry main (x: i32) = x + 1");
    let said = folder.run(&["autotune", "p.fut"]).succeeds();
    assert_eq!(said, "p.fut: there is nothing to tune: no version of its code is chosen by a size\n");
    assert!(!folder.path("p.fut.tuning").exists());
}

#[test]
fn versions_of_irregular_nests_are_chosen_by_measurement_on_devices() {
    let program = "-- ==
-- \"few\" input { [1i64, 0i64, 3i64] } output { [1i64, 0i64, 9i64] }
-- \"many\" input { [7i64, 8i64, 0i64, 100i64, 5i64] }
entry main (ns: []i64) : []i64 = map (\\n -> i64.sum (map (\\i -> 2 * i + 1) (iota n))) ns
";
    let folder = Folder::with(program);
    for device in devices() {
        let said = folder.run(&["autotune", "p.fut", "--device", device, "--runs", "2"]).succeeds();
        assert!(said.contains("compared with 3 (main: few); 5 (main: many)"), "{said}");
        let written = std::fs::read_to_string(folder.path("p.fut.tuning")).unwrap();
        assert!(written.contains("flatten.main.0="), "{written}");
        let words = ["run", "p.fut", "[2i64, 4i64]", "--device", device, "--tuning", "p.fut.tuning"];
        assert_eq!(folder.run(&words).succeeds(), "[4i64, 16i64]\n");
    }
}

#[test]
fn work_groups_are_chosen_by_measurement_on_devices() {
    let program = "-- ==
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 7i64]] } output { [[5i64, 4i64, 3i64], [12i64, 11i64, 9i64]] }
entry main (rows: [][]i64) = map (\\row -> let s = i64.sum row in map (\\x -> s - x) row) rows
";
    let folder = Folder::with(program);
    for device in devices() {
        let said = folder.run(&["autotune", "p.fut", "--device", device, "--runs", "2"]).succeeds();
        assert!(said.contains("compared with 2"), "{said}");
        let rows = "[[1i64, 1i64], [0i64, 9i64], [4i64, 4i64]]";
        for version in [
            ["threads.main.0=1", "groups.main.0=1"],
            ["threads.main.0=9", "groups.main.0=2"],
            ["threads.main.0=9", "groups.main.0=1"],
        ] {
            let [first, second] = version;
            let words = ["run", "p.fut", rows, "--device", device, "--param", first, "--param", second];
            assert_eq!(
                folder.run(&words).succeeds(),
                "[[1i64, 1i64], [9i64, 0i64], [4i64, 4i64]]\n",
                "{version:?}"
            );
        }
    }
}
