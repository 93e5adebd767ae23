//! Compares native code of host programs with the machine that runs them otherwise: the same output, and the same failures at the same
//! places in the same calls.

mod programs {
    pub mod data;
    pub mod scalars;
}

use std::path::Path;

use warpwise_diag::Sources;
use warpwise_driver::Options;
use warpwise_driver::host::files::check_host;
use warpwise_driver::host::native::HostNative;
use warpwise_mexpr::host::budget::Budget;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as HostOptions, compile};
use warpwise_mexpr::host::device::HostOnly;
use warpwise_mexpr::host::machine::{RunError, run, run_native};
use warpwise_mexpr::host::object::n_live;
use warpwise_mexpr::host::world::Listener;

/// The outcome of a run: its output, and its exit code or failure.
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
    let mut world = Listener { arguments: vec!["program".to_string()], ..Listener::default() };
    let result = run(code, &mut world, &mut HostOnly, &mut |_| {});
    (world.printed, result.map(|outcome| outcome.exit))
}

/// Runs a program natively; returns `None` if it has no native code.
fn natively(code: &Code) -> Option<Ended> {
    let mut native = HostNative::new(code, &Options::default(), None).unwrap()?;
    let mut world = Listener { arguments: vec!["program".to_string()], ..Listener::default() };
    let before = n_live();
    let result = run_native(code, Some(native.native()), &mut world, &mut HostOnly, &mut |_| {});
    assert_eq!(n_live(), before, "blocks are left over");
    Some((world.printed, result.map(|outcome| outcome.exit)))
}

/// Runs a program that has native code both ways. Returns its output, and its exit code or failure.
#[track_caller]
fn both(text: &str) -> Ended {
    let (code, _) = checked(text);
    let expected = on_machine(&code);
    let found = natively(&code).unwrap_or_else(|| panic!("no native code is made of\n{text}"));
    assert_eq!(found, expected, "{text}");
    found
}

/// Runs a program both ways. It must print `expected`.
#[track_caller]
fn prints(text: &str, expected: &str) {
    let (printed, result) = both(&format!("include \"string.mc\"\n{text}"));
    assert_eq!((printed.as_str(), result), (expected, Ok(None)), "{text}");
}

/// Runs a program both ways. It must fail with this message, in `n_calls` calls.
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

const TREES: &str = "type Tree
con Leaf : Int -> Tree
con Node : (Tree, Tree) -> Tree
recursive let make = lam d. lam n.
  if eqi d 0 then Leaf n else Node (make (subi d 1) (muli 2 n), make (subi d 1) (addi (muli 2 n) 1))
end
recursive let sum = lam t. match t with Leaf n then n else match t with Node (a, b) in addi (sum a) (sum b) end
recursive let flip = lam t. switch t case Leaf n then Leaf (negi n) case Node (a, b) then Node (flip b, flip a) end end
";

#[test]
fn trees() {
    prints(&format!("{TREES} mexpr print (int2string (sum (make 10 1)))"), "1572352");
    prints(
        &format!(
            "{TREES} mexpr let t = make 3 1 in let u = flip t in
            iter (lam x. print (int2string (sum x)); print \" \") [t, u, flip u, Node (t, u)]"
        ),
        "92 -92 92 0 ",
    );
}

#[test]
fn lists_deep_and_long() {
    prints(
        "type List
         con Nil : () -> List
         con Cons : (Int, List) -> List
         recursive let range = lam n. if eqi n 0 then Nil () else Cons (n, range (subi n 1)) end
         recursive let back = lam done. lam l. switch l case Nil _ then done case Cons (x, rest) then back (Cons (x, done)) rest end end
         recursive let total = lam l. match l with Cons (x, rest) then addi x (total rest) else 0 end
         recursive let last = lam l. match l with Cons (x, Nil ()) then x else match l with Cons (_, rest) then last rest else never end
         mexpr let l = range 1000000 in
         print (int2string (total l)); print \" \"; print (int2string (last l)); print \" \";
         print (int2string (last (back (Nil ()) l)))",
        "500000500000 1 1000000",
    );
}

#[test]
fn loops_among_effects() {
    prints(
        "let hash = foldl (lam h. lam c. modi (addi (muli h 31) (char2int c)) 1009) 7
         mexpr
         let k = length \"abc\" in
         let xs = map (lam x. muli k x) (create 4 (lam i. subi i 1)) in
         iter (lam i. print (int2string i); print \" \") xs;
         print (int2string (foldl (lam s. lam x. addi s (muli k x)) 1 xs)); print \" \";
         print (foldr (lam c. lam s. snoc s c) \"\" \"abc\"); print \" \";
         print (int2string (length (map (lam. 0) []))); print \" \";
         print (join (mapi (lam i. lam x. concat (int2string i) x) [\"a\", \"b\"])); print \" \";
         print (int2string (hash \"some text\"));
         match foldl (lam p. lam x. (addi p.0 x, addf p.1 0.5)) (0, 1.5) xs with (a, b) in
         print \" \"; print (int2string a); print \" \"; print (float2string b)",
        "-3 0 3 6 19 cba 0 0a1b 828 6 3.5",
    );
    fails(
        "mexpr let k = length \"\" in print (int2string (foldl (lam s. lam x. addi s (divi x k)) 0 [1, 2]))",
        "division by zero",
        2,
    );
    // Code after a loop that was given up runs natively again.
    fails(
        "recursive let f = lam n. if eqi n 0 then 0 else addi 1 (f (subi n 1)) end
         mexpr let xs = create 3 (lam i. i) in print (int2string (f 3));
         print (int2string (get (map (lam x. divi 6 (subi x (f 2))) xs) 0))",
        "division by zero",
        2,
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
fn memory_that_runs_out_leaves_nothing_behind() {
    for text in [
        "type L con N : () -> L con C : (Int, L) -> L
         recursive let f = lam acc : L. lam n : Int. if lti n 0 then acc else f (C (n, acc)) (addi n 1) end
         mexpr match f (N ()) 1 with N _ then print \"none\" else print \"some\"",
        "type L con N : () -> L con C : (Int, L) -> L
         recursive let f = lam acc : L. lam n : Int. if lti n 0 then acc else g (C (n, acc)) (addi n 1)
           let g = lam acc : L. lam n : Int. if eqi n 0 then acc else f (C (1, acc)) n end
         mexpr match f (N ()) 1 with N _ then print \"none\" else print \"some\"",
        "type L con N : () -> L con C : (Int, L) -> L
         mexpr match seqLoopAcc (N ()) 1000000000 (lam acc. lam i. C (i, acc)) with N _ then print \"none\" else ()",
        "mexpr let f = lam n. foldl addi 0 (create n (lam i. muli i i)) in dprint (f 10000000000)",
        "recursive let f = lam acc : [Int]. lam n : Int. if gti n 40 then acc else f (concat acc acc) (addi n 1) end
         mexpr dprint (foldl addi 0 (map (addi 1) (f [1] 0)))",
    ] {
        let (code, _) = checked(text);
        let mut native = HostNative::new(&code, &Options::default(), None).unwrap().expect("native code");
        let used = || Some(64 * n_live() as u64);
        let budget = Some(Budget { bytes: 32 << 20, used });
        let mut world = Listener { budget, ..Listener::default() };
        let before = n_live();
        let result = run_native(&code, Some(native.native()), &mut world, &mut HostOnly, &mut |_| {});
        let error = result.expect_err("memory for more than there is");
        assert!(error.message.starts_with("out of memory: "), "{error:?}\n{text}");
        assert_eq!((n_live(), world.printed.as_str()), (before, ""), "blocks are left over of\n{text}");
    }
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
    // An exit of the program is no failure.
    let text = "include \"string.mc\"
         recursive let f = lam n. if lti n 0 then 7 else if eqi n 0 then exit 3 else addi 1 (f (subi n 1)) end
         mexpr print (int2string (f 3))";
    assert_eq!(both(text), (String::new(), Ok(Some(3))));
}

#[test]
fn what_has_effects_is_left_to_the_machine() {
    let text = "recursive let f = lam n. if eqi n 0 then \"y\" else (print \"x\"; f (subi n 1)) end
         mexpr print (f 3)";
    let (code, _) = checked(text);
    assert_eq!(on_machine(&code), ("xxxy".to_string(), Ok(None)));
    assert!(natively(&code).is_none());
}

/// Runs generated programs both ways. Returns the number of programs with native code and the number of failing ones.
fn generated(program: impl Fn(u64) -> String, n: u64) -> (usize, usize) {
    let (mut n_native, mut n_failing) = (0, 0);
    for seed in 0..n {
        let text = program(seed);
        let (code, _) = checked(&text);
        let expected = on_machine(&code);
        n_failing += usize::from(expected.1.is_err());
        if let Some(found) = natively(&code) {
            assert_eq!(found, expected, "seed {seed}\n{text}");
            n_native += 1;
        }
    }
    (n_native, n_failing)
}

#[test]
fn generated_programs() {
    let (n_native, n_failing) = generated(programs::scalars::program, 60);
    assert!(n_native >= 50 && (5..50).contains(&n_failing), "{n_native} native, {n_failing} failing");
}

#[test]
fn generated_programs_over_data() {
    let n = std::env::var("WARPWISE_PROGRAMS").map_or(80, |n| n.parse().unwrap());
    let (n_native, n_failing) = generated(programs::data::program, n);
    let n = n as usize;
    let is_varied = n_native >= n * 9 / 10 && (n / 20..n / 2).contains(&n_failing);
    assert!(is_varied, "{n_native} native, {n_failing} failing");
}
