//! The language embedded in Rust against C and against Rust written by hand (`ndarray` and `rayon`), in this process.
//!
//! Programs of both kinds get the inputs of a [`Work`] in containers of their own before anything is timed; what they
//! computed is compared with C's results.

mod hand;
mod ours;

use std::rc::Rc;
use std::time::{Duration, Instant};

use warpwise::{Acc, Array, Context, Vector};

use crate::baseline::{Baselines, Licence};
use crate::compare::{MOSTLY, disagreement};
use crate::measure::{Ratio, Times, contest};
use crate::peer::Peer;
use crate::row::best_c;
use crate::value::{Kind, Value};
use crate::work::{Output, Work, works};

/// What C's time over ours should be at least (issue: a share of the best C).
const ASKED_OF_C: f64 = 0.9;
/// What the time of Rust written by hand over ours should be at least.
const ASKED_OF_HAND: f64 = 1.5;

/// A work with its two programs in Rust.
struct Pair {
    work: Work,
    ours: Embedded,
    hand: ByHand,
}

/// Prepares a program of the embedding on inputs.
type Embedded = fn(&Context, &[Value]) -> Made;

/// Prepares a program written by hand on inputs.
type ByHand = fn(&[Value]) -> Made;

/// A program in place, or why there is none.
type Made = Result<Box<dyn Peer>, String>;

/// A computation of this process as a peer.
struct Computed<R> {
    name: &'static str,
    compute: Box<dyn Fn() -> Result<R, String>>,
    columns: fn(&R) -> Vec<Value>,
    last: Option<R>,
}

impl<R: 'static> Computed<R> {
    fn peer(
        name: &'static str,
        columns: fn(&R) -> Vec<Value>,
        compute: impl Fn() -> Result<R, String> + 'static,
    ) -> Made {
        Ok(Box::new(Computed { name, compute: Box::new(compute), columns, last: None }))
    }
}

impl<R> Peer for Computed<R> {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        self.last = None;
        let start = Instant::now();
        self.last = Some((self.compute)()?);
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.last.as_ref().map(self.columns).ok_or_else(|| "nothing was computed".to_string())
    }
}

/// Measures everything; a table as Markdown.
pub fn table(baselines: &Baselines, rounds: usize, repetitions: usize, scale: f64) -> Result<String, String> {
    let context = Context::cpu_with_threads(baselines.threads()).map_err(|error| error.to_string())?;
    let mut text = String::from(
        "| work | ours, ms | C, ms | C / ours, asked 0.9 | by hand, ms | by hand / ours, asked 1.5 |\n|---|---|---|---|---|---|\n",
    );
    for pair in pairs(scale) {
        let line = row(&pair, &context, baselines, rounds, repetitions)?;
        print!("{line}");
        text.push_str(&line);
    }
    text.push('\n');
    for (name, figure) in calls(&context)? {
        text.push_str(&format!("- {name}: {figure}\n"));
    }
    Ok(text)
}

fn pairs(scale: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for work in works(scale) {
        let programs: Option<(Embedded, ByHand)> = match work.source {
            "blackscholes" => Some((ours::black_scholes, hand::black_scholes)),
            "mandelbrot" => Some((ours::mandelbrot, hand::mandelbrot)),
            "nbody" => Some((ours::nbody, hand::nbody)),
            _ => None,
        };
        pairs.extend(programs.map(|(ours, hand)| Pair { work, ours, hand }));
    }
    let side = ((2000.0 * scale.sqrt()) as usize).max(64);
    pairs.push(Pair { work: ray(side), ours: ours::ray, hand: hand::ray });
    pairs
}

/// The spheres of the crate's example.
fn ray(side: usize) -> Work {
    let spheres = ours::spheres();
    let columns = move || ours::columns_of(&spheres);
    let count = columns()[0].count();
    Work {
        name: format!("ray tracer {side}^2"),
        program: "",
        entry: "",
        source: "ray",
        symbol: "ray",
        ispc: None,
        sizes: vec![side as i64, side as i64, count as i64],
        inputs: Box::new(move || {
            let mut inputs = columns();
            inputs.extend([Value::i64(side as i64), Value::i64(side as i64)]);
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![side, side]); 3],
        tolerance: MOSTLY,
        limit: None,
        goal: crate::work::Goal::BestC(ASKED_OF_C),
        fast: false,
    }
}

fn row(
    pair: &Pair,
    context: &Context,
    baselines: &Baselines,
    rounds: usize,
    repetitions: usize,
) -> Result<String, String> {
    let inputs = Rc::new((pair.work.inputs)());
    let (_, c) = best_c(&pair.work, Licence::Strict, &inputs, baselines)?;
    let mut peers: Vec<Box<dyn Peer>> =
        vec![(pair.ours)(context, &inputs)?, Box::new(c), (pair.hand)(&inputs)?];
    let times = contest(&mut peers, rounds, repetitions)?;
    let expected = peers[1].results()?;
    for peer in [0, 2] {
        let found = peers[peer].results()?;
        if let Some(difference) = disagreement(&expected, &found, pair.work.tolerance) {
            return Err(format!("{}: {} against C: {difference}", pair.work.name, peers[peer].name()));
        }
    }
    let [ours, c, hand] = times.as_slice() else { return Err("three programs were to run".into()) };
    let milliseconds = |times: &Times| format!("{:.2}", 1e3 * times.median());
    let judged = |ratio: Ratio, asked: f64| {
        let verdict = if ratio.median >= asked { "" } else { ", missed" };
        format!("{:.2} ({:.2} to {:.2}){verdict}", ratio.median, ratio.low, ratio.high)
    };
    Ok(format!(
        "| {} | {} | {} | {} | {} | {} |\n",
        pair.work.name,
        milliseconds(ours),
        milliseconds(c),
        judged(c.over(ours), ASKED_OF_C),
        milliseconds(hand),
        judged(hand.over(ours), ASKED_OF_HAND),
    ))
}

/// How long a first call takes, and what a call of compiled code costs.
fn calls(context: &Context) -> Result<Vec<(String, String)>, String> {
    const CALLS: u32 = 10_000;
    let words = |error: warpwise::Error| error.to_string();
    let xs = Array::from_vec([3], vec![1.0_f64, 2.0, 3.0]).map_err(words)?;
    let norm = |xs: &Acc<Vector<f64>>| xs.map(|x| x * x).sum();
    let mut firsts = Vec::new();
    for _ in 0..7 {
        let fresh = Context::cpu_with_threads(1).map_err(words)?;
        let start = Instant::now();
        fresh.compile(|xs: Acc<Vector<f64>>| norm(&xs)).map_err(words)?.run(&xs).map_err(words)?;
        firsts.push(1e3 * start.elapsed().as_secs_f64());
    }
    let function = context.compile(|xs: Acc<Vector<f64>>| norm(&xs)).map_err(words)?;
    let empty = Array::from_vec([0], Vec::<f64>::new()).map_err(words)?;
    let mut each = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        for _ in 0..CALLS {
            function.run(&empty).map_err(words)?;
        }
        each.push(1e6 * start.elapsed().as_secs_f64() / f64::from(CALLS));
    }
    let shown = |ratio: Ratio, unit: &str| {
        format!("{:.2} {unit} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high)
    };
    Ok(vec![
        (
            "building, compiling and running a sum of squares (asked 100 ms)".into(),
            shown(Ratio::of(firsts), "ms"),
        ),
        ("a call of compiled code on an empty array (asked 2 µs)".into(), shown(Ratio::of(each), "µs")),
    ])
}
