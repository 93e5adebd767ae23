//! The cost of calls besides their work: of the first call of a program, and of each call of compiled code.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Vector};

use super::ours::words;
use super::report::{Asked, Figure};
use crate::measure::Ratio;

/// Number of processes that make a first call, with and without its code in a cache.
const STARTS: usize = 7;

/// Number of batches of calls, and number of calls of a batch.
const BATCHES: usize = 15;
const CALLS: u32 = 20_000;

/// Builds, compiles and runs a small program in this process, which has done nothing else before; returns the milliseconds.
pub fn first_call(cache: &Path) -> Result<f64, String> {
    let xs = Array::from_vec([3], vec![1.0_f64, 2.0, 3.0]).map_err(words)?;
    let start = Instant::now();
    let context = Context::cpu().map_err(words)?.with_cache(Some(cache));
    let norm = context.compile(|xs: Acc<Vector<f64>>| xs.map(|x| x * x).sum()).map_err(words)?;
    let found = norm.run(&xs).map_err(words)?;
    let time = 1e3 * start.elapsed().as_secs_f64();
    if found.to_vec() == [14.0] { Ok(time) } else { Err(format!("a sum of squares is {found:?}")) }
}

/// Measures first calls of fresh processes of this executable, which only does [`first_call`] with `--first-call`.
pub fn first_calls() -> Result<Vec<Figure>, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        for times in [&mut cold, &mut warm] {
            let mut command = Command::new(&this);
            command.arg("--first-call").arg(folder.path().join(start.to_string()));
            let output = command.output().map_err(|error| error.to_string())?;
            let said = String::from_utf8_lossy(&output.stdout);
            let time = said
                .trim()
                .parse()
                .map_err(|_| format!("{command:?}: {said}{}", String::from_utf8_lossy(&output.stderr)))?;
            times.push(time);
        }
    }
    let figure = |what: &str, times, most| {
        let name = format!("building, compiling and running a sum of squares in a fresh process, {what}");
        Figure::asked(name, "ms", Ratio::of(times), Asked::AtMost(most))
    };
    Ok(vec![figure("nothing cached", cold, 100.0), figure("code cached", warm, 30.0)])
}

/// Measures the cost of a call of compiled code on empty arrays.
pub fn empty_calls(context: &Context) -> Result<Vec<Figure>, String> {
    let empty = Array::from_vec([0], Vec::<f64>::new()).map_err(words)?;
    let double = context.compile(|xs: Acc<Vector<f64>>| xs.map(|x| x * 2.0)).map_err(words)?;
    let sum = context.compile(|xs: Acc<Vector<f64>>| xs.map(|x| x * x).sum()).map_err(words)?;
    let dot =
        context.compile(|xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| xs.zip_with(&ys, |x, y| x * y).sum());
    let dot = dot.map_err(words)?;
    let figure = |what: &str, call: &dyn Fn() -> Result<(), warpwise::Error>| -> Result<Figure, String> {
        let mut each = Vec::new();
        for _ in 0..BATCHES {
            let start = Instant::now();
            (0..CALLS).try_for_each(|_| call()).map_err(words)?;
            each.push(1e6 * start.elapsed().as_secs_f64() / f64::from(CALLS));
        }
        let name = format!("a call of compiled code on empty arrays, {what}");
        Ok(Figure::asked(name, "µs", Ratio::of(each), Asked::AtMost(2.0)))
    };
    Ok(vec![
        figure("map", &|| double.run(&empty).map(drop))?,
        figure("sum of squares", &|| sum.run(&empty).map(drop))?,
        figure("dot product", &|| dot.run(&empty, &empty).map(drop))?,
    ])
}
