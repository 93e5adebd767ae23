//! Host programs: `run` and `check` on `.mc` files.

use crate::common::Folder;
use crate::devices::has_device;

fn folder(program: &str) -> Folder {
    let folder = Folder::new();
    folder.write("p.mc", program);
    folder
}

#[test]
fn runs_from_the_first_definition_to_the_last_expression() {
    let program = "include \"string.mc\"\nlet f = lam x. muli x x\nmexpr print (concat (int2string (f 7)) (get argv 1))";
    let ran = folder(program).run(&["run", "p.mc", "!"]);
    assert_eq!((ran.code, ran.output.as_slice(), ran.errors.as_str()), (Some(0), &b"49!"[..], ""));
}

#[test]
fn wrong_programs_are_located() {
    let folder = folder("mexpr addi 1 x");
    folder.run(&["run", "p.mc"]).fails(2, &["error[M0201]", "p.mc:1:14"]);
    folder.run(&["check", "p.mc"]).fails(2, &["error[M0201]", "p.mc:1:14"]);
}

#[test]
fn failing_runs_name_the_place_and_the_calls() {
    let folder = folder("let f = lam s. addi 1 (get s 3)\nmexpr addi 1 (f [])");
    folder
        .run(&["run", "p.mc"])
        .fails(1, &["p.mc:1:24: Index 3 out of bounds", "in f,", "in mexpr, at p.mc:2:15"]);
}

#[test]
fn programs_end_themselves() {
    let ran = folder("mexpr print \"a\"; exit 7").run(&["run", "p.mc"]);
    assert_eq!((ran.code, ran.output.as_slice()), (Some(7), &b"a"[..]));
}

#[test]
fn tests_run_if_asked_for() {
    let folder = folder("utest 1 with 1\nutest 1 with 2");
    assert_eq!(folder.run(&["run", "p.mc"]).code, Some(0));
    folder.run(&["run", "--test", "p.mc"]).fails(1, &["p.mc:2:1: a test failed", "1 of 2 tests passed"]);
}

/// Options for the modes of running a program.
const MODES: [&str; 3] = ["--sequential", "--debug", "--threads=2"];

#[test]
fn accelerated_expressions_run() {
    let right = folder("mexpr print (float2string (int2float (head (accelerate (map (addi 1) [1])))))");
    for option in MODES {
        let ran = right.run(&["run", option, "p.mc"]);
        assert_eq!((ran.code, ran.output.as_slice(), ran.errors.as_str()), (Some(0), &b"2."[..], ""));
    }
}

#[test]
fn what_is_accelerated_is_checked() {
    let without_words = folder("mexpr accelerate (addi 1 2)");
    without_words.run(&["run", "p.mc"]).fails(2, &["error[M0403]", "p.mc:1:7"]);
    without_words.run(&["run", "--debug", "p.mc"]).fails(2, &["error[M0403]", "p.mc:1:7"]);
    without_words.run(&["check", "p.mc"]).fails(2, &["error[M0403]", "p.mc:1:7"]);
    assert_eq!(without_words.run(&["run", "--sequential", "p.mc"]).code, Some(0));
}

#[test]
fn values_of_all_forms_go_and_come() {
    let folder = folder(
        "let f = lam s. lam r. accelerate (
           {sum = reduce addi 0 s, rows = map (lam row. map (mulf r.b) row) r.rows, c = r.c,
            pairs = map (lam x. (x, (lti x 3, r.a))) s, none = map (lam c. char2int c) r.none})
         mexpr
         utest f [1, 2, 3] {a = 7, b = 2.0, c = 'x', rows = [[1.0, 2.0], [3.0, 4.5]], none = \"\"} with
           {sum = 6, rows = [[2.0, 4.0], [6.0, 9.0]], c = 'x',
            pairs = [(1, (true, 7)), (2, (true, 7)), (3, (false, 7))], none = []} in
         utest f [] {a = 7, b = 2.0, c = 'x', rows = [[], []], none = \"\\n\"} with
           {sum = 0, rows = [[], []], c = 'x', pairs = [], none = [10]} in ()",
    );
    for option in MODES {
        let ran = folder.run(&["run", "--test", option, "p.mc"]);
        assert_eq!((ran.code, ran.errors.trim()), (Some(0), "2 of 2 tests passed"));
    }
}

#[test]
fn devices_report_where_they_fail() {
    let program = "let f = lam s. lam i.
  accelerate (map (lam x. addi x (get s i)) s)
mexpr f [1, 2] 2";
    let folder = folder(program);
    let fragments = ["p.mc:2:35: Index 2 out of bounds for a sequence of length 2", "in f, at p.mc:2:3"];
    for option in ["--debug", "--threads=2"] {
        folder.run(&["run", option, "p.mc"]).fails(1, &fragments);
    }
}

#[test]
fn lengths_beyond_64_bits_are_errors() {
    let program = "let upto = lam n. map (addi 1) (create n (lam i. i))
let joined = lam n. accelerate (length (concat (upto n) (upto n)))
let flat = lam n. accelerate (length (flatten (create n (lam i. upto n))))
mexpr dprint (joined 3, flat 3); JOINED";
    let folder = folder(&program.replace("JOINED", "()"));
    assert_eq!(folder.run(&["run", "p.mc"]).output, b"(6, 9)");
    let half = "4611686018427387904";
    folder.write("p.mc", program.replace("JOINED", &format!("dprint (joined {half})")));
    let message = format!("p.mc:2:41: Size {half} + {half} does not fit in 64 bits");
    folder.run(&["run", "p.mc"]).fails(1, &[&message]);
    folder.write("p.mc", program.replace("JOINED", "dprint (flat 4294967296)"));
    let message = "p.mc:3:39: Size 4294967296 * 4294967296 does not fit in 64 bits";
    folder.run(&["run", "p.mc"]).fails(1, &[message]);
}

#[test]
fn irregular_sequences_are_noted_or_refused() {
    let program = "let f = lam s. accelerate (map (lam row. reduce addi 0 row) s)
mexpr dprint (f [[1, 2], [3, 4]]); dprint (f [[1], [2, 3], []])";
    let folder = folder(program);
    let ran = folder.run(&["run", "p.mc"]);
    assert_eq!((ran.code, ran.output.as_slice()), (Some(0), &b"[3, 7][1, 5, 0]"[..]), "{}", ran.errors);
    assert!(ran.errors.contains("note: p.mc:1:16: 1 call was computed by slower code: Irregular sequence"));
    let strict = folder.run(&["run", "--strict-regular", "p.mc"]);
    assert_eq!(strict.output, b"[3, 7]");
    strict.fails(1, &["p.mc:1:16: Irregular sequence: `s` has elements of lengths 1 and 2"]);
    let own = "let f : [Int] -> [[Int]] = lam s. accelerate (map (lam n. create n (lam i. i)) s)
mexpr dprint (f [1, 0, 2])";
    folder.write("p.mc", own);
    assert_eq!(folder.run(&["run", "p.mc"]).output, b"[[0], [], [0, 1]]");
    let strict = folder.run(&["run", "--strict-regular", "p.mc"]);
    strict.fails(1, &["p.mc:1:47: Irregular sequence: elements of lengths 0 and 2"]);
    folder.write("p.mc", own.replace("[1, 0, 2]", "[2, 2]"));
    assert_eq!(folder.run(&["run", "--strict-regular", "p.mc"]).output, b"[[0, 1], [0, 1]]");
}

#[test]
fn profiles_count_what_is_copied() {
    let folder = folder("mexpr dprint (accelerate (reduce addi 0 (map (addi 1) (create 1000 (lam i. i)))))");
    let errors = folder.run(&["run", "--profile", "p.mc"]).errors;
    for fragment in [
        "compile ",
        "accelerated                   1 calls",
        "given back              0.000 MB       1 values",
    ] {
        assert!(errors.contains(fragment), "{errors}");
    }
}

/// Two expressions that write tensors of 1000 floats each. The host reads only one of them.
const TWO_STEPS: &str = "
let t = tensorCreateUninitFloat [10, 100]
let u = tensorCreateUninitFloat [1000]
let fill = lam t. lam u. lam i.
  tensorSetExn u [i] (int2float i);
  tensorSetExn t [divi i 100, modi i 100] 0.5
let sum = lam t. lam u. lam i.
  let at = [divi i 100, modi i 100] in
  tensorSetExn t at (addf (tensorGetExn t at) (tensorGetExn u [i]))
mexpr
accelerate (loop 1000 (fill t u));
accelerate (loop 1000 (sum t u));
printFloat (tensorGetExn t [0, 7])
";

#[test]
fn tensors_stay_where_they_are_until_the_host_looks() {
    let folder = folder(TWO_STEPS);
    let lines = |device: &[&str]| {
        let ran = folder.run(&[&["run", "--profile", "p.mc"], device].concat());
        assert_eq!(String::from_utf8_lossy(&ran.output).trim(), "7.5", "{}", ran.errors);
        let count = |what: &str, unit: &str| {
            let is_it = |line: &&str| line.trim_start().starts_with(what) && line.ends_with(unit);
            let line = ran.errors.lines().find(is_it).expect(&ran.errors);
            line.split_whitespace().rev().nth(1).unwrap().to_string()
        };
        (count("accelerated", "calls"), count("handed over", "values"), count("given back", "values"))
    };
    let counts =
        |calls: &str, given: &str, back: &str| (calls.to_string(), given.to_string(), back.to_string());
    // On the processor the host reads the results of compiled code in place.
    assert_eq!(lines(&[]), counts("2", "0", "0"));
    if has_device() {
        assert_eq!(lines(&["--device=opencl"]), counts("2", "0", "1000"));
    }
}

#[test]
fn tensors_have_as_many_dimensions_as_are_accepted() {
    let folder = folder(
        "let t = tensorCreateCArrayInt [2, 2, 2, 2] (lam i. get i 3)
let twice = lam t. lam i. tensorSetExn t [1, 1, 1, i] (muli 2 (tensorGetExn t [1, 1, 1, i]))
mexpr accelerate (loop 2 (twice t)); dprint (tensorGetExn t [1, 1, 1, 1])",
    );
    for mode in [&[][..], &["--debug"]] {
        let three = [&["run", "p.mc"], mode].concat();
        folder.run(&three).fails(1, &["a tensor of 4 dimensions", "at most 3", "--tensor-max-rank"]);
        let four = [&["run", "--tensor-max-rank=4", "p.mc"], mode].concat();
        assert_eq!(folder.run(&four).succeeds().trim(), "2");
    }
}

#[test]
fn unsafe_code_has_no_checks() {
    let folder = folder(TWO_STEPS);
    let core = |options: &[&str]| folder.run(&[&["dev", "p.mc"], options].concat()).succeeds();
    assert!(core(&[]).contains("assert "));
    assert!(!core(&["--unsafe"]).contains("assert "));
}

#[test]
fn a_loop_with_all_loops_in_it_is_one_kernel() {
    let nested = "
let row = lam t. lam i. lam j. tensorSetExn t [i, j] (int2float (addi i j))
let rows = lam t. lam i. loop 100 (row t i)
let t = tensorCreateUninitFloat [10, 100]
mexpr accelerate (loop 10 (rows t))";
    let text = folder(nested).run(&["dev", "--device=opencl", "--emit=kernels", "p.mc"]).succeeds();
    assert_eq!(text.matches("\n__kernel ").count(), 1, "{text}");
}

#[test]
fn another_library_can_be_named() {
    let folder = folder("include \"words.mc\"\nmexpr print word");
    folder.run(&["run", "p.mc"]).fails(2, &["error[M0130]", "library:words.mc"]);
    folder.write("lib/words.mc", "let word = \"found\"");
    let ran = folder.run(&["run", "--library", "lib", "p.mc"]);
    assert_eq!((ran.code, ran.output.as_slice()), (Some(0), &b"found"[..]));
}

#[test]
fn errors_in_text_of_the_array_language_are_in_the_string() {
    let program = |text: &str| {
        format!(
            "mexpr\ndprint (accelerate (map (lam x : Float. addf 0.0 (inlineFuthark \"{text}\" x)) [1.5]))"
        )
    };
    let first = "dprint (accelerate (map (lam x : Float. addf 0.0 (inlineFuthark \"".len() + 1;
    for (text, code, at) in [
        ("f64.sinus", "E02", 4),
        ("\\\\x -> x + true", "", 0),
        ("\\\\x -> (x", "", 0),
        ("\\n  f64.cosinus", "E02", 8),
    ] {
        let ran = folder(&program(text)).run(&["check", "p.mc"]);
        assert_eq!(ran.code, Some(2), "{}", ran.errors);
        let line = ran.errors.lines().find(|line| line.contains("--> p.mc:2:")).expect(&ran.errors);
        let column: usize = line.rsplit(':').next().unwrap().parse().unwrap();
        assert!(ran.errors.contains(&format!("error[{code}")), "{}", ran.errors);
        let range = if at > 0 { first + at - 4..=first + at } else { first - 1..=first + text.len() };
        assert!(range.contains(&column), "{column} is not in {range:?}: {}", ran.errors);
    }
    folder("mexpr accelerate (map (lam t. inlineFuthark t 1) [\"a\"])")
        .run(&["check", "p.mc"])
        .fails(2, &["error[M0217]", "p.mc:1:31"]);
    let failing = folder(
        "mexpr dprint (accelerate (map (lam i : Int. addi 0 (inlineFuthark \"\\\\i -> [1, 2][i]\" i)) [1, 2]))",
    );
    failing.run(&["run", "p.mc"]).fails(1, &["p.mc:1:75: Index [2] out of bounds"]);
    failing
        .run(&["run", "--sequential", "p.mc"])
        .fails(1, &["p.mc:1:53: text of the array language has no value outside"]);
}

#[test]
fn the_second_start_compiles_nothing() {
    let folder = folder(
        "include \"common.mc\"\nlet t = tensorCreateCArrayFloat [4] (lam. 1.0)
let double = lam t. lam u. lam i. tensorSetExn t [i] (mulf 2.0 (tensorGetExn u [i]))
mexpr accelerate (loop 4 (double t t)); dprint (accelerate (map (addi 1) [1, 2]))",
    );
    let run = |words: &[&str]| {
        let ran = folder.run(&[&["run", "p.mc", "--verbose"], words].concat());
        let hit = ran.errors.contains("was in the cache");
        (ran.succeeds(), hit)
    };
    assert_eq!(run(&[]), ("[2, 3]".to_string(), false));
    assert_eq!(run(&[]), ("[2, 3]".to_string(), true));
    assert_eq!(run(&["--no-cache"]), ("[2, 3]".to_string(), false));
    assert!(!run(&["--strict-fp"]).1, "other options are another program");
    folder.write("p.mc", "mexpr dprint (accelerate (map (addi 2) [1, 2]))");
    assert_eq!(run(&[]), ("[3, 4]".to_string(), false));
    assert_eq!(run(&[]), ("[3, 4]".to_string(), true));
}

#[test]
fn indices_outside_of_tensors_fail_in_every_mode() {
    let start = "let t = tensorCreateCArrayInt [3] (lam. 7)
let a = tensorCreateCArrayFloat [3] (lam. 0.0)
let m = tensorCreateCArrayInt [3, 4] (lam. 7)
let k = addi 3 (length argv)
mexpr\n";
    let tensor = "out of bounds for a tensor of shape";
    let cases = [
        ("loop 5 (lam j. if lti j 4 then tensorSetExn t [j] j else ())", format!("Index [3] {tensor} [3]")),
        ("loop 4 (lam i. tensorSetExn a [i] 1.0)", format!("Index [3] {tensor} [3]")),
        ("loop k (lam i. tensorSetExn a [i] 1.0)", format!("Index [3] {tensor} [3]")),
        ("loop 3 (lam i. tensorSetExn t [subi i 1] i)", format!("Index [-1] {tensor} [3]")),
        ("loop 3 (lam i. tensorSetExn t [addi i 1] i)", format!("Index [3] {tensor} [3]")),
        ("loop 3 (lam i. loop 5 (lam j. tensorSetExn m [i, j] i))", format!("Index [0, 4] {tensor} [3, 4]")),
        ("loop k (lam i. loop 4 (lam j. tensorSetExn m [i, j] i))", format!("Index [3, 0] {tensor} [3, 4]")),
        (
            "loop 3 (lam i. loop 5 (lam j. if lti i j then tensorSetExn m [i, j] i else ()))",
            format!("Index [0, 4] {tensor} [3, 4]"),
        ),
        (
            "loop 4 (lam i. let r = tensorSubExn t 0 2 in tensorSetExn r [i] i)",
            format!("Index [2] {tensor} [2]"),
        ),
        ("loop 4 (lam i. tensorLinearSetExn t i i)", format!("Index [3] {tensor} [3]")),
        (
            "loop 4 (lam i. let r = tensorSliceExn m [i] in tensorSetExn r [0] i)",
            format!("Index [3] {tensor} [3, 4]"),
        ),
        ("loop 3 (lam i. tensorSetExn t [muli 2 i] i)", format!("Index [4] {tensor} [3]")),
        (
            "loop 4 (lam i. tensorSetExn a [i] 1.0); loop 3 (lam i. tensorSetExn a [i] 2.0)",
            format!("Index [3] {tensor} [3]"),
        ),
        ("loop 3 (lam i. tensorSetExn m [i] i)", "Index [0] for a tensor of rank 2".to_string()),
    ];
    for (expression, message) in cases {
        let folder = folder(&format!("{start}accelerate ({expression}); dprint t"));
        for option in ["--sequential", "--threads=2"] {
            let ran = folder.run(&["run", option, "p.mc"]);
            assert!(ran.errors.contains(&message), "{expression}, {option}: {}", ran.errors);
            assert_eq!((ran.code, ran.output.as_slice()), (Some(1), &b""[..]), "{expression}");
        }
    }
}

#[test]
fn loops_whose_iterations_depend_on_each_other_keep_their_order() {
    let program = "include \"string.mc\"
let v = tensorCreateCArrayInt [4] (lam i. 1)
let b = tensorCreateCArrayInt [4] (lam i. 1)
let w = tensorCreateCArrayInt [4] (lam i. get i 0)
mexpr
accelerate (loop 3 (lam i. tensorSetExn w [0] i; tensorSetExn w [modi i 3] 99));
accelerate (loop 3 (lam i. loop 4 (lam j. tensorSetExn b [modi i 3] 4; tensorSetExn v [i] (tensorGetExn w [j]))));
iter (lam t. print (tensor2string int2string t)) [w, b, v]";
    let ran = folder(program).run(&["run", "p.mc"]);
    assert_eq!(ran.output, b"[2, 99, 99, 3][4, 4, 4, 1][3, 3, 3, 1]", "{}", ran.errors);
    let checked = folder(program).run(&["check", "p.mc"]);
    assert_eq!(checked.errors.matches("M0430").count(), 1, "{}", checked.errors);
}

#[test]
fn messages_of_error_are_shown() {
    let program = "mexpr dprint (accelerate (map (lam x. if gti x 2 then error \"too big\" else x) [1, 3]))";
    for option in MODES {
        folder(program).run(&["run", option, "p.mc"]).fails(1, &["p.mc:1:55: too big"]);
    }
}

#[test]
fn numbers_are_printed_in_order() {
    let program =
        "mexpr accelerate (seqLoop 2 (lam i. dprint (subi i 5); print \" \"; dprint 0.5; print \"\\n\"))";
    for option in MODES {
        let ran = folder(program).run(&["run", option, "p.mc"]);
        assert_eq!(ran.output, b"-5 0.5\n-4 0.5\n", "{}", ran.errors);
    }
}

#[test]
fn a_failure_goes_with_a_value_that_nothing_needs() {
    let unused = ["let x = map (get [1]) s in map (addi 1) [1]", "[length (map (get [1]) s)]"];
    for (expression, result) in unused.into_iter().zip(["[2]", "[1]"]) {
        let folder = folder(&format!("mexpr let s = tail [0, 5] in dprint (accelerate ({expression}))"));
        assert_eq!(folder.run(&["run", "p.mc"]).succeeds(), result);
        for option in ["--sequential", "--debug"] {
            folder
                .run(&["run", option, "p.mc"])
                .fails(1, &["Index 5 out of bounds for a sequence of length 1"]);
        }
    }
    // A body that runs has all its checks.
    let used =
        folder("mexpr let s = tail [0, 5] in dprint (accelerate (map (lam i. let x = get [1] i in i) s))");
    used.run(&["run", "p.mc"]).fails(1, &["Index 5 out of bounds for a sequence of length 1"]);
}

#[test]
fn functions_as_results_are_refused_when_debugging_too() {
    let folder = folder("let f = accelerate (map (addi 1))\nmexpr f [1]");
    for option in ["--debug", "--threads=2"] {
        folder.run(&["run", option, "p.mc"]).fails(2, &["error[M0"]);
    }
}

#[test]
fn commands_and_options_for_array_programs_are_refused() {
    let folder = folder("mexpr print \"a\"");
    for command in ["build", "bench", "autotune"] {
        folder.run(&[command, "p.mc"]).fails(1, &["p.mc: this is a host program: `warpwise run` runs it"]);
    }
    let options = [&["--entry=f"][..], &["-o", "x"], &["--binary"], &["--full"], &["--profile-trace=x"]];
    for option in options {
        folder
            .run(&[&["run", "p.mc"], option].concat())
            .fails(1, &["p.mc: this is a host program, for which --"]);
    }
}
