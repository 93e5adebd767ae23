//! Options with the same meaning in all commands, and invalid words.

use crate::common::Folder;

#[test]
fn zero_threads_are_refused() {
    let folder = Folder::with("entry main = 1i32");
    for command in ["run", "bench", "test"] {
        folder.run(&[command, "p.fut", "--threads", "0"]).fails(1, &["--threads", "at least one thread"]);
    }
    folder.run(&["run", "p.fut", "--threads", "-1"]).fails(1, &["--threads"]);
    assert_eq!(folder.run(&["run", "p.fut", "--threads", "3"]).succeeds(), "1i32\n");
}

#[test]
fn wrong_options_are_said_with_exit_code_1() {
    let folder = Folder::with("entry main = 1i32");
    folder.run(&["run", "p.fut", "--nonsense"]).fails(1, &["--nonsense"]);
    folder.run(&["run", "p.fut", "--memory-limit", "lots"]).fails(1, &["--memory-limit", "512M"]);
    folder.run(&["run", "p.fut", "--param", "x"]).fails(1, &["NAME=VALUE"]);
    folder.run(&["run", "p.fut", "--vector-width", "100"]).fails(1, &["100"]);
    folder.run(&["run", "p.fut", "--tuning", "nowhere"]).fails(1, &["nowhere"]);
    folder.write("bad.tuning", "# parameters\n\na=1\nb\n");
    folder.run(&["run", "p.fut", "--tuning", "bad.tuning"]).fails(1, &["bad.tuning:4"]);
    folder.write("good.tuning", "\na=1\nflatten.main.3=7\n");
    let ran = folder.run(&["run", "p.fut", "--tuning", "good.tuning", "--param", "b=2"]);
    assert!(ran.errors.contains("warning: good.tuning:2: `a` has no effect"), "{}", ran.errors);
    assert!(!ran.errors.contains("flatten"), "thresholds of other devices may be there: {}", ran.errors);
    assert!(
        ran.errors.contains("`--param b` has no effect; parameters of this program: none"),
        "{}",
        ran.errors
    );
    ran.succeeds();
    folder.run(&["walk"]).fails(1, &["walk"]);
    folder.run(&[] as &[&str]).fails(1, &["Usage"]);
}

#[test]
fn shells_complete_commands_and_options() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]).succeeds();
        assert!(script.contains("autotune") && script.contains("memory-limit"), "{shell}");
    }
    folder.run(&["completions", "tcsh"]).fails(1, &["bash", "zsh", "fish"]);
}

#[test]
fn help_is_no_failure() {
    let folder = Folder::new();
    for command in ["check", "run", "bench", "test", "dev"] {
        assert!(folder.run(&[command, "--help"]).succeeds().contains("Usage: warpwise"));
    }
    assert!(folder.run(&["--help"]).succeeds().contains("test"));
    assert!(folder.run(&["--version"]).succeeds().starts_with("warpwise "));
}

#[test]
fn results_do_not_depend_on_threads_and_checks_can_go() {
    let folder = Folder::with("entry main (n: i64) = f32.sum (map (\\i -> f32.sin (f32.i64 i)) (iota n))");
    let sum = |words: &[&str]| folder.run(&[&["run", "p.fut", "100003"], words].concat()).succeeds();
    let one = sum(&["--threads", "1"]);
    for threads in ["2", "3", "7"] {
        assert_eq!(sum(&["--threads", threads]), one);
    }
    for width in ["1", "128"] {
        let other: f64 = sum(&["--vector-width", width]).trim().trim_end_matches("f32").parse().unwrap();
        let sum: f64 = one.trim().trim_end_matches("f32").parse().unwrap();
        assert!((other - sum).abs() < 0.01, "{other} {sum}");
    }
    sum(&["--strict-fp"]);
    let folder = Folder::with("entry main (x: f32) = (x / f32.sqrt (x + 1), x / 3)");
    for x in ["8", "0", "3e38"] {
        let words = ["run", "p.fut", x];
        let exact = folder.run(&words).succeeds();
        let fast = folder.run(&[&words[..], &["--fast-math"]].concat()).succeeds();
        let numbers = |text: &str| -> Vec<f32> {
            text.lines().map(|line| line.trim_end_matches("f32").parse().unwrap()).collect()
        };
        let close = |(x, y): (&f32, &f32)| (x - y).abs() <= 8.0 * f32::EPSILON * x.abs();
        assert!(numbers(&exact).iter().zip(&numbers(&fast)).all(close), "{exact} {fast}");
    }
    folder.run(&["run", "p.fut", "1", "--fast-math", "--strict-fp"]).fails(1, &["--fast-math"]);
    let folder = Folder::with("entry main (x: i32) = assert (x > 0) x");
    folder.run(&["run", "p.fut", "0"]).fails(1, &["p.fut:1:"]);
    assert_eq!(folder.run(&["run", "p.fut", "0", "--unsafe"]).succeeds(), "0i32\n");
}

#[test]
fn profiles_name_the_phases() {
    let folder = Folder::with("entry main (x: i32) = x");
    let ran = folder.run(&["run", "p.fut", "1", "--profile"]);
    for phase in ["compile", "load", "read arguments", "run", "write results", "memory at most"] {
        assert!(ran.errors.contains(phase), "{}", ran.errors);
    }
    assert_eq!(ran.succeeds(), "1i32\n");
}

#[test]
fn traces_tell_when_kernels_ran() {
    let source = "entry main (n: i64) =\n  let xs = map (\\i -> i * i) (iota n)\n  in (xs, i64.sum xs)";
    let folder = Folder::with(source);
    let words = ["run", "p.fut", "100000", "--profile-trace", "trace.json", "-o", "out.bin"];
    assert_eq!(folder.run(&words).errors, "");
    let text = std::fs::read_to_string(folder.path("trace.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |row: u64| events.iter().filter(move |event| event["tid"] == row && event["ph"] == "X");
    assert!(of(0).any(|phase| phase["name"] == "run"), "{text}");
    let number = |event: &serde_json::Value, key: &str| event[key].as_f64().unwrap();
    let run = of(0).find(|phase| phase["name"] == "run").unwrap();
    let (begin, end) = (number(run, "ts"), number(run, "ts") + number(run, "dur"));
    assert!(of(1).count() > 0, "{text}");
    for kernel in of(1) {
        assert!(kernel["args"]["place"].as_str().unwrap().starts_with("p.fut:"), "{kernel}");
        assert!(
            begin <= number(kernel, "ts") && number(kernel, "ts") + number(kernel, "dur") <= end,
            "{kernel}"
        );
    }
}

#[test]
fn profiles_say_which_copies_stay_and_why() {
    let program = |place: &str| {
        format!("entry main [n] (a: *[2][n]i64) =\n  a with [1] = map (\\i -> a[1, {place}] + 1) (iota n)")
    };
    let said = |place: &str| {
        let ran = Folder::with(&program(place)).run(&["run", "p.fut", "[[1, 2], [3, 4]]", "--profile"]);
        let errors = ran.errors.clone();
        ran.succeeds();
        errors
    };
    let backwards = said("n - 1 - i");
    for part in ["copies in the program", "p.fut:2:", " is copied: `", "would have been overwritten"] {
        assert!(backwards.contains(part), "{backwards}");
    }
    let itself = said("i");
    assert!(!itself.contains("copies in the program"), "{itself}");
}

#[test]
fn profiles_say_what_kernels_took_and_where_they_come_from() {
    let source = "entry main (n: i64) =\n  let xs = map (\\i -> i * i) (iota n)\n  in (xs, i64.sum xs)";
    let ran = Folder::with(source).run(&["run", "p.fut", "100000", "--profile", "-o", "out.bin"]);
    let kernels: Vec<&str> = ran.errors.lines().filter(|line| line.contains(" times ")).collect();
    assert!(kernels.iter().any(|line| line.contains("1 times") && line.contains("p.fut:3:")), "{kernels:?}");
    assert!(kernels.iter().all(|line| line.contains(" ms ") && line.contains(" MB each")), "{kernels:?}");
    ran.succeeds();
}
