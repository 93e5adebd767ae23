//! The language embedded in Rust against C and against handwritten Rust (`ndarray` and `rayon`), in this process.
//!
//! Programs of both kinds get the inputs of a [`Work`] in containers of their own before the timed part; their results are
//! compared with C's. Besides the table there are figures of calls ([`calls`]), of sorts ([`sorts`]), of stealing ([`split`]) and
//! of passwords ([`dictionary`]).

pub mod calls;
mod dictionary;
mod hand;
mod ours;
pub mod report;
mod sorts;
mod split;

use std::rc::Rc;
use std::time::{Duration, Instant};

use warpwise::Context;

use crate::baseline::{Baselines, Licence};
use crate::compare::{MOSTLY, disagreement};
use crate::measure::{Times, contest};
use crate::peer::Peer;
use crate::report::machine;
use crate::row::best_c;
use crate::value::{Kind, Value};
use crate::work::{Output, Work, works};
use report::{Asked, Figure, Report, Row};

/// Required ratio of C's time to Warpwise's, a share of the best C.
const ASKED_OF_C: f64 = 0.9;
/// Required ratio of the time of handwritten Rust to Warpwise's.
const ASKED_OF_HAND: f64 = 1.5;

/// A work with its two programs in Rust.
struct Pair {
    work: Work,
    ours: Embedded,
    hand: ByHand,
}

/// A function that prepares a program of the embedding on inputs.
type Embedded = fn(&Context, &[Value]) -> Made;

/// A function that prepares a handwritten program on inputs.
type ByHand = fn(&[Value]) -> Made;

/// A prepared program, or the reason why there is none.
type Made = Result<Box<dyn Peer>, String>;

/// A computation in this process as a peer.
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

/// The settings of the measurement.
pub struct Settings<'s> {
    /// C programs.
    pub baselines: &'s Baselines,
    /// Number of rounds; every program gets a turn in each.
    pub rounds: usize,
    /// Minimum number of counted runs of a turn.
    pub repetitions: usize,
    /// Factor by which sizes are multiplied.
    pub scale: f64,
    /// Parts of the names of the selected measurements; empty selects all.
    pub only: &'s [String],
}

impl Settings<'_> {
    fn is_wanted(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Measures everything.
pub fn measure(settings: &Settings<'_>) -> Result<Report, String> {
    let Settings { baselines, rounds, repetitions, scale, .. } = *settings;
    let threads = baselines.threads();
    let context = Context::cpu_with_threads(threads).map_err(ours::words)?;
    let mut report =
        Report { machine: machine(), threads, rows: Vec::new(), figures: Vec::new(), missing: Vec::new() };
    for pair in pairs(scale).iter().filter(|pair| settings.is_wanted(&pair.work.name)) {
        let row = row(pair, &context, baselines, rounds, repetitions)?;
        print!("{}", row.line());
        report.rows.push(row);
    }
    let side = side(scale);
    let pairs_sorted = ((1e6 * scale) as usize).max(1000);
    let words = ((20e6 * scale) as usize).max(100_000);
    let mut collect = |part: &str, figures: &dyn Fn() -> Result<Vec<Figure>, String>| {
        if settings.is_wanted(part) {
            match figures() {
                Ok(figures) => {
                    figures.iter().for_each(|figure| print!("{}", figure.line()));
                    report.figures.extend(figures);
                }
                Err(reason) => {
                    println!("- {part}: {reason}");
                    report.missing.push(format!("{part}: {reason}"));
                }
            }
        }
    };
    collect("calls", &|| calls::empty_calls(&context));
    collect("first calls", &calls::first_calls);
    collect("sorts", &|| sorts::figures(&context, pairs_sorted, rounds, repetitions));
    collect("stealing", &|| split::figures(threads, side, rounds, repetitions));
    collect("dictionary", &|| dictionary::figures(&context, words, rounds));
    Ok(report)
}

/// Returns the side length of pictures.
fn side(scale: f64) -> usize {
    ((2000.0 * scale.sqrt()) as usize).max(64)
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
    pairs.push(Pair { work: ray(side(scale)), ours: ours::ray, hand: hand::ray });
    pairs
}

/// Creates the work with the spheres of the crate's example.
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
) -> Result<Row, String> {
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
    let milliseconds = |name: &str, times: &Times| (name.to_string(), 1e3 * times.median());
    Ok(Row {
        work: pair.work.name.clone(),
        times: vec![milliseconds("ours", ours), milliseconds("C", c), milliseconds("by hand", hand)],
        over_c: Figure::asked("C / ours", "", c.over(ours), Asked::AtLeast(ASKED_OF_C)),
        over_hand: Figure::asked("by hand / ours", "", hand.over(ours), Asked::AtLeast(ASKED_OF_HAND)),
    })
}
