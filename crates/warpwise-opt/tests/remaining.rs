//! Tests that the copies that `short_circuit` leaves are listed with the reason.

use warpwise_diag::{FileId, Sources, Span, render_failure};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines::pass;
use warpwise_opt::short_circuit::remaining;

/// Returns the remaining copies in a function `f`, as `array: reason`, with lines counted from the function's start.
fn reasons(passes: &[&str], text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file: FileId = sources.add("f.ir", text);
    let mut program = warpwise_ir::parse::parse(text, file)
        .unwrap_or_else(|failure| panic!("{}", render_failure(&sources, &failure, false)));
    let passes: Vec<_> = passes.iter().map(|name| *pass(name).expect("a pass")).collect();
    run_passes(&passes, &mut program, Level::Seg, |_, _, _| {}).expect("the program is right");
    let line = |span: Span| format!("in line {}", sources.position(span.file, span.start).line);
    let text = remaining(&program).into_iter().map(|copy| {
        let kernel = if copy.in_kernel { " in a kernel" } else { "" };
        format!("{}{kernel}: {}", copy.array, copy.why.text(line))
    });
    text.collect()
}

/// Returns a function in which a map with this body makes `x` from `a`. `x` is copied to a row of `a`, between other statements.
fn updated(value: &str, between: &str, after: &str) -> String {
    format!(
        "fun f(n: i64, m: i64, i: i64, a: *[n][m]i64) -> (s: i64, r: [n][m]i64) {{
  x: [m]i64 = segmap (j < m: task lane) {{ {value} return v }};
  {between}
  r: [n][m]i64 = update a[i, 0:m:1] = x;
  {after}
  return 0, r
}}"
    )
}

const BOTH: [&str; 2] = ["place", "short_circuit"];

#[test]
fn reasons_name_what_is_in_the_way() {
    let own = "v: i64 = index a[i, j];";
    let none: [&str; 0] = [];
    assert_eq!(reasons(&BOTH, &updated(own, "", "")), none);
    assert_eq!(reasons(&BOTH[..1], &updated(own, "", "")), ["x: `short_circuit` was left out"]);
    let backwards = "k: i64 = sub m j; l: i64 = sub k 1; v: i64 = index a[i, l];";
    let spoils = ["x: `a` is read in line 2 and would have been overwritten"];
    assert_eq!(reasons(&BOTH, &updated(backwards, "", "")), spoils);
    let before = "y: i64 = index a[i, 0];";
    let spoils = ["x: `a` is read in line 3 and would have been overwritten"];
    assert_eq!(reasons(&BOTH, &updated(own, before, "")), spoils);
    assert_eq!(
        reasons(&BOTH, &updated(own, "", "y: i64 = index x[0];")),
        ["x: it is used after that, in line 5"]
    );
}

#[test]
fn what_is_not_made_here_says_so() {
    let text = "fun f(n: i64, x: [n]i64, k: i64) -> (r: [2][n]i64) {
  z: [2][n]i64 = replicate [2][n] 0;
  r: [2][n]i64 = update z[k, 0:n:1] = x;
  return r
}";
    assert_eq!(reasons(&BOTH, text), ["x: it is not made here, but exists before"]);
}

#[test]
fn what_comes_too_late_says_so() {
    let text = "fun f(n: i64, a: *[2][n]i64) -> (r: [2][n]i64) {
  x: [n]i64 = segmap (i < n: task lane) { return i };
  k: i64 = index x[0];
  r: [2][n]i64 = update a[k, 0:n:1] = x;
  return r
}";
    assert_eq!(reasons(&BOTH, text), ["x: where it goes is known only after it is made"]);
}

#[test]
fn kernels_are_told_apart() {
    let text = "fun f(n: i64, m: i64, a: [m]i64) -> (r: [n]i64) {
  r: [n]i64 = segmap (i < n: task) {
    z: [2][m]i64 = replicate [2][m] i;
    y: [2][m]i64 = update z[1, 0:m:1] = a;
    v: i64 = index y[1, 0];
    return v
  };
  return r
}";
    assert_eq!(reasons(&BOTH, text), ["a in a kernel: it is not made here, but exists before"]);
}
