//! Native code of host programs against the machine that runs them otherwise: the same output, the same failures at the same
//! places by the same calls.

mod programs {
    pub mod scalars;
}

use std::path::Path;

use warpwise_diag::Sources;
use warpwise_driver::Options;
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_native::HostNative;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as HostOptions, compile};
use warpwise_mexpr::host::device::HostOnly;
use warpwise_mexpr::host::machine::{RunError, run, run_native};
use warpwise_mexpr::host::world::World;

/// A world that only listens.
#[derive(Default)]
struct Ear(String);

impl World for Ear {
    fn print(&mut self, text: &str) -> Result<(), String> {
        self.0.push_str(text);
        Ok(())
    }
    fn print_error(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn read_line(&mut self) -> Result<Option<String>, String> {
        Ok(None)
    }
    fn read_bytes(&mut self, _: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
    fn read_file(&mut self, path: &str) -> Result<String, String> {
        Err(path.to_string())
    }
    fn write_file(&mut self, path: &str, _: &str) -> Result<(), String> {
        Err(path.to_string())
    }
    fn file_exists(&mut self, _: &str) -> bool {
        false
    }
    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        Err(path.to_string())
    }
    fn command(&mut self, command: &str) -> Result<i64, String> {
        Err(command.to_string())
    }
    fn arguments(&self) -> Vec<String> {
        vec!["program".to_string()]
    }
    fn time_ms(&self) -> f64 {
        1.0
    }
    fn sleep_ms(&self, _: u64) {}
}

/// What a run gives: what it prints, and its exit code or failure.
type Ended = (String, Result<Option<i64>, RunError>);

fn checked(text: &str) -> (Code, Sources) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.mc");
    std::fs::write(&path, text).unwrap();
    let (checked, sources) =
        check_host(Path::new(&path), None).unwrap_or_else(|error| panic!("{text}\n{error}"));
    (compile(&checked, HostOptions { tests: true }), sources)
}

fn on_machine(code: &Code) -> Ended {
    let mut ear = Ear::default();
    let result = run(code, &mut ear, &mut HostOnly, &mut |_| {});
    (ear.0, result.map(|outcome| outcome.exit))
}

/// Nothing if no native code is made.
fn natively(code: &Code) -> Option<Ended> {
    let mut native = HostNative::new(code, &Options::default(), None).unwrap()?;
    let mut ear = Ear::default();
    let result = run_native(code, Some(native.native()), &mut ear, &mut HostOnly, &mut |_| {});
    Some((ear.0, result.map(|outcome| outcome.exit)))
}

/// Runs a program that is worth native code both ways; gives what it printed, and its failure.
#[track_caller]
fn both(text: &str) -> Ended {
    let (code, _) = checked(text);
    let expected = on_machine(&code);
    let found = natively(&code).unwrap_or_else(|| panic!("no native code is made of\n{text}"));
    assert_eq!(found, expected, "{text}");
    found
}

/// Runs a program both ways; it has to print this.
#[track_caller]
fn prints(text: &str, expected: &str) {
    let (printed, result) = both(&format!("include \"string.mc\"\n{text}"));
    assert_eq!((printed.as_str(), result), (expected, Ok(None)), "{text}");
}

/// Runs a program both ways; it has to fail with this message, in so many calls.
#[track_caller]
fn fails(text: &str, message: &str, n_calls: usize) {
    let (_, result) = both(&format!("include \"string.mc\"\n{text}"));
    let error = result.expect_err(text);
    assert!(error.message.contains(message), "{}", error.message);
    assert_eq!(error.calls.len(), n_calls, "{:?}", error.calls);
}

#[test]
fn loops_and_recursion() {
    prints(
        "recursive let sum = lam n. lam acc. if eqi n 0 then acc else sum (subi n 1) (addi n acc) end
         mexpr print (int2string (sum 1000000 0))",
        "500000500000",
    );
    prints(
        "recursive let fib = lam n. if lti n 2 then n else addi (fib (subi n 1)) (fib (subi n 2)) end
         mexpr print (int2string (fib 20))",
        "6765",
    );
    prints(
        "recursive let even = lam n. if eqi n 0 then true else odd (subi n 1)
         let odd = lam n. if eqi n 0 then false else even (subi n 1) end
         mexpr print (if even 1000001 then \"even\" else \"odd\")",
        "odd",
    );
    prints(
        "let power = lam x. lam n. seqLoopAcc 1 n (lam acc. lam. muli x acc)
         mexpr print (int2string (power 3 5)); print (int2string (power 3 (negi 1)))",
        "2431",
    );
}

#[test]
fn functions_of_functions_and_records() {
    prints(
        "recursive let times = lam n. lam f. lam x. if eqi n 0 then x else times (subi n 1) f (f x) end
         let both = lam n : Int. lam step : Int.
           let ints = times n (addi step) 0 in
           match times n (lam p. {p with first = addf p.first p.second}) {first = 0.0, second = 0.5} with {first = x} in
           (ints, x)
         mexpr match both 10 7 with (a, b) in print (int2string a); print (float2string b)",
        "705.",
    );
    prints(
        "let scale = 10
         let offset = (1, 'b', true)
         recursive let wide = lam a : (Int, Int, Int, Int). lam n : Int.
           if leqi n 0 then a
           else match wide a (subi n 1) with (p, q, r, s) in (addi p scale, subi q offset.0, addi r (char2int offset.1), s) end
         mexpr match wide (0, 0, 0, 42) 3 with (p, q, r, s) in iter (lam i. print (int2string i); print \" \") [p, q, r, s]",
        "30 -3 294 42 ",
    );
}

#[test]
fn what_wraps_saturates_and_rounds() {
    let text = |a: i64, b: i64| {
        format!(
            "recursive let once = lam n. lam a. lam b. lam f. if eqi n 0 then 0 else f a b end
             let of = lam which : Int. lam a : Int. lam b : Int.
               switch which case 0 then once 1 a b divi case 1 then once 1 a b modi case 2 then once 1 a b muli
               case 3 then once 1 a b slli case 4 then once 1 a b srli case 5 then once 1 a b srai
               case _ then seqLoopAcc 0 1 (lam. lam. negi a) end
             mexpr iter (lam w. print (int2string (of w (subi {a} 0) ({b}))); print \" \") [0, 1, 2, 3, 4, 5, 6]",
            a = if a < 0 { format!("(negi {})", a.unsigned_abs().min(i64::MAX as u64)) } else { a.to_string() },
            b = if b < 0 { format!("negi {}", -b) } else { b.to_string() },
        )
    };
    for (a, b) in [(7, -1), (-7, 2), (i64::MAX, 2), (-i64::MAX, -1), (1, 64), (-1, 99), (-5, -3)] {
        let (_, result) = both(&format!("include \"string.mc\"\n{}", text(a, b)));
        assert_eq!(result, Ok(None));
    }
    let floats = "let rounded = lam x : Float. seqLoopAcc (0, 0, 0) 1 (lam. lam. (floorfi x, ceilfi x, roundfi x))
         mexpr iter (lam x. match rounded x with (a, b, c) in iter (lam i. print (int2string i); print \" \") [a, b, c])
           [0.5, negf 0.5, 2.5, negf 2.5, 1e300, negf 1e300, divf 0.0 0.0]";
    prints(
        floats,
        "0 1 1 -1 0 -1 2 3 3 -3 -2 -3 9223372036854775807 9223372036854775807 9223372036854775807 \
         -9223372036854775808 -9223372036854775808 -9223372036854775808 0 0 0 ",
    );
}

#[test]
fn mathematics_and_comparisons_of_floats() {
    prints(
        "include \"ext/math-ext.mc\"
         let f = lam x : Float. lam n : Int.
           seqLoopAcc 0.0 n (lam acc. lam i. addf acc (addf (mulf (sin x) (exp (negf (int2float i)))) (sqrt (pow x 3.0))))
         let same = lam x : Float. lam y : Float. seqLoopAcc 0 1 (lam. lam.
           addi (if eqf x y then 1 else 0) (addi (if neqf x y then 10 else 0) (if ltf x y then 100 else 0)))
         let nan = divf 0.0 0.0
         mexpr
         print (if eqf (f 2.0 0) 0.0 then \"zero \" else \"\");
         print (float2string (f 1.0 1)); print \" \";
         iter (lam p. match p with (x, y) in print (int2string (same x y)); print \" \")
           [(1.0, 1.0), (1.0, 2.0), (nan, nan), (0.0, negf 0.0)]",
        "zero 1.84147098481 1 110 10 1 ",
    );
}

#[test]
fn recursion_as_deep_as_asked_for() {
    prints(
        "recursive let sum = lam n. if eqi n 0 then 0 else addi n (sum (subi n 1)) end
         mexpr print (int2string (sum 1000000))",
        "500000500000",
    );
}

#[test]
fn recursion_without_an_end() {
    // Many variables fill the machine's stack sooner.
    let lets: String = (0..200).map(|number| format!("let x{number} = addi n {number} in ")).collect();
    let sum = (0..200).fold("0".to_string(), |sum, number| format!("addi x{number} ({sum})"));
    fails(
        &format!(
            "recursive let f = lam n. if lti n 0 then n else {lets} let x = g (addi n 1) in addi x ({sum})
             let g = lam n. f n end
             mexpr print (int2string (f 0))"
        ),
        "the stack is full",
        17,
    );
}

#[test]
fn failures_have_their_places_and_calls() {
    fails(
        "recursive let f = lam n. if eqi n 0 then divi 1 n else addi 1 (f (subi n 1)) end
         mexpr print (int2string (f 3))",
        "division by zero",
        5,
    );
    fails(
        "recursive let f = lam n. if lti n 0 then 7 else
           if eqi n 0 then error (concat \"at \" (int2string n)) else addi 1 (f (subi n 1)) end
         mexpr print (int2string (f 3))",
        "at 0",
        5,
    );
    fails(
        "recursive let f = lam n. match n with 5 then 'a' else if gti n 0 then f (subi n 1) else int2char n end
         mexpr print [f 4, f (negi 1)]",
        "-1 is no character",
        2,
    );
    // What ends the program is no failure.
    let text = "include \"string.mc\"
         recursive let f = lam n. if lti n 0 then 7 else if eqi n 0 then exit 3 else addi 1 (f (subi n 1)) end
         mexpr print (int2string (f 3))";
    assert_eq!(both(text), (String::new(), Ok(Some(3))));
}

#[test]
fn what_has_effects_is_left_to_the_machine() {
    let text = "include \"string.mc\"
         recursive let f = lam n. if eqi n 0 then 0 else (print \"x\"; f (subi n 1)) end
         mexpr print (int2string (f 3))";
    let (code, _) = checked(text);
    assert_eq!(on_machine(&code), ("xxx0".to_string(), Ok(None)));
    assert!(natively(&code).is_none());
}

#[test]
fn generated_programs() {
    let (mut n_native, mut n_failing) = (0, 0);
    for seed in 0..60 {
        let text = programs::scalars::program(seed);
        let (code, _) = checked(&text);
        let expected = on_machine(&code);
        n_failing += usize::from(expected.1.is_err());
        if let Some(found) = natively(&code) {
            assert_eq!(found, expected, "seed {seed}\n{text}");
            n_native += 1;
        }
    }
    assert!(n_native >= 50 && (5..50).contains(&n_failing), "{n_native} native, {n_failing} failing");
}
