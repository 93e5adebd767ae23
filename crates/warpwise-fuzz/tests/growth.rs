//! The cost of compiling grows linearly with the program. Cost is counted in allocated bytes, which do not depend on the machine: the
//! increase from `2n` to `4n` must be about twice the increase from `n` to `2n`.
//!
//! Absent: devices. For them `short_circuit` takes time and memory that grow with the square of the number of consecutive updates
//! (0.2 s for 600).
//!
//! `GROWTH_TIMES=1` prints the time for each program, to look at steps that do not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use warpwise_fuzz::compile::{Ending, Files, Machines, compile_files};
use warpwise_fuzz::growing;

/// Factor by which the cost may grow faster than the program from the first step to the second.
const MOST: f64 = 1.35;

/// An allocator that counts allocated bytes.
struct Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

// SAFETY: every request is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Programs of any length: a name, a first length, the function that writes the program.
type Shape = (&'static str, usize, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("lines of many kinds", 1000, growing::program),
    ("definitions", 500, |n| each(n, |i| format!("def f{i} (x: i32) = x + {i}\n")) + "entry main = f0 1"),
    ("entry points", 100, |n| each(n, |i| format!("entry f{i} (xs: []i32) = map (+ {i}) xs\n"))),
    ("a chain of calls", 200, |n| {
        let chain = each(n, |i| format!("def f{} (x: i32) = f{i} (x + {i})\n", i + 1));
        format!("def f0 (x: i32) = x\n{chain}entry main = f{n}")
    }),
    ("bindings", 500, |n| {
        let bindings = each(n, |i| format!("  let x{} = x{i} * {i}\n", i + 1));
        format!("entry main (x0: i32) =\n{bindings}  in x{n}")
    }),
    ("arrays bound", 100, |n| {
        let bindings = each(n, |i| format!("  let a{} = map (+ {i}) (copy a{i})\n", i + 1));
        format!("entry main (a0: []i32) =\n{bindings}  in a{n}")
    }),
    ("arrays updated", 300, |n| {
        let updates = each(n, |i| format!("  let a[{i}] = a[{}] + 1\n", i + 1));
        format!("entry main (a: *[]i32) =\n{updates}  in a")
    }),
    ("elements", 1000, |n| format!("entry main (x: i32) = [x{}]", each(n, |i| format!(", {i}")))),
    ("parameters", 200, |n| {
        let params = each(n, |i| format!(" (x{i}: i32)"));
        format!("entry main (y: i32){params} = y{}", each(n.min(200), |i| format!(" + x{i}")))
    }),
    ("modules", 200, |n| {
        let modules = each(n, |i| format!("module m{i} = {{ def x{i} = {i}i32 }}\nopen m{i}\n"));
        modules + "entry main = x0"
    }),
    ("results", 200, |n| {
        let results = each(n, |i| format!(", map (+ {i}) xs"));
        format!("entry main (xs: []i32) = (xs{results})")
    }),
    ("branches in a row", 200, |n| {
        let choices = each(n, |i| format!("  let x = if x < {i} then x * 2 else x + 1\n"));
        format!("entry main (xs: []i32) = map (\\x ->\n{choices}  in x) xs")
    }),
    ("loops in a row", 100, |n| {
        let loops = each(n, |i| format!("  let x = loop x for i < {i}i32 do x * i\n"));
        format!("entry main (x: i32) =\n{loops}  in x")
    }),
    ("errors", 100, |n| each(n, |i| format!("def f{i} (x: i32) = y{i}\n"))),
    ("comments", 5000, |n| each(n, |i| format!("-- {i}\n"))),
];

fn each(n: usize, write: impl Fn(usize) -> String) -> String {
    (0..n).map(write).collect()
}

fn cost(name: &str, program: &str) -> f64 {
    let (before, start) = (ALLOCATED.load(Ordering::Relaxed), Instant::now());
    match compile_files(program, &Files::default(), Machines::Cpu) {
        Ok(Ending::Compiled) => {}
        Ok(Ending::Rejected(_)) if name == "errors" => {}
        other => panic!("{name}: {other:?}"),
    }
    let cost = (ALLOCATED.load(Ordering::Relaxed) - before) as f64;
    if std::env::var_os("GROWTH_TIMES").is_some() {
        println!("{name}: {} bytes of program, {:.1} MB, {:.0?}", program.len(), cost / 1e6, start.elapsed());
    }
    cost
}

#[test]
fn cost_grows_as_the_program_does() {
    let scale: usize = std::env::var("GROWTH_SCALE").map_or(1, |scale| scale.parse().unwrap());
    let mut complaints = Vec::new();
    for (name, n, write) in SHAPES {
        let programs = [1, 2, 4].map(|times| write(n * times * scale));
        let [once, twice, four] = [0, 1, 2].map(|i| cost(name, &programs[i]));
        let lengths = programs.map(|program| program.len() as f64);
        let wanted = (lengths[2] - lengths[1]) / (lengths[1] - lengths[0]);
        let found = (four - twice) / (twice - once);
        if found > wanted * MOST {
            complaints.push(format!("{name}: the cost grows {found:.2}-fold, the program {wanted:.2}-fold"));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
