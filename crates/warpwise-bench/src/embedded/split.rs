//! Stealing against a static split: the same picture, computed once by a context whose threads steal work from each other, and
//! once cut into as many bands of rows as there are threads, each computed by a thread of its own.

use std::time::{Duration, Instant};

use warpwise::{Acc, Array, Context, Exp, Vector};

use super::ours::{Sphere, escapes, spheres, trace_part, words};
use super::report::{Asked, Figure};
use crate::measure::contest;
use crate::peer::Peer;
use crate::value::Value;

/// Required speed-up by stealing for uneven work.
const MARGIN: f64 = 1.1;

/// A function that computes some rows of a picture, from the first on.
type Band = Box<dyn Fn(i64, i64) -> Result<(), warpwise::Error> + Send + Sync>;

/// A function that compiles a band of a square picture with this side.
type Maker = fn(&Context, i64) -> Result<Band, warpwise::Error>;

/// A picture cut into bands of rows, one per thread.
struct Bands {
    name: &'static str,
    rows: i64,
    threads: Vec<Band>,
}

impl Peer for Bands {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let (rows, count) = (self.rows, self.threads.len() as i64);
        let bands =
            (0..).zip(&self.threads).map(|(i, band)| (band, rows * i / count, rows * (i + 1) / count));
        let start = Instant::now();
        let done = match self.threads.as_slice() {
            [alone] => alone(0, rows),
            _ => std::thread::scope(|scope| {
                let started: Vec<_> =
                    bands.map(|(band, first, end)| scope.spawn(move || band(first, end - first))).collect();
                let mut ended = started.into_iter().map(|thread| thread.join());
                ended.try_for_each(|band| band.unwrap_or(Err(warpwise::Error::Interrupted)))
            }),
        };
        done.map_err(words)?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        Ok(Vec::new())
    }
}

/// Measures both pictures.
pub fn figures(
    threads: usize,
    side: usize,
    rounds: usize,
    repetitions: usize,
) -> Result<Vec<Figure>, String> {
    let makers: [(&str, Maker); 2] = [("mandelbrot off centre", mandelbrot), ("ray tracer", ray)];
    let mut figures = Vec::new();
    for (name, make) in makers {
        let rows = side as i64;
        let whole = make(&Context::cpu_with_threads(threads).map_err(words)?, rows).map_err(words)?;
        let parts = (0..threads).map(|_| make(&Context::cpu_with_threads(1)?, rows));
        let parts = parts.collect::<Result<Vec<Band>, _>>().map_err(words)?;
        let mut peers: Vec<Box<dyn Peer>> = vec![
            Box::new(Bands { name: "stealing", rows, threads: vec![whole] }),
            Box::new(Bands { name: "static split", rows, threads: parts }),
        ];
        let times = contest(&mut peers, rounds, repetitions)?;
        let ratio = times[1].over(&times[0]);
        let name = format!("static split / stealing, {name}, {threads} threads");
        figures.push(Figure::asked(name, "", ratio, Asked::AtLeast(MARGIN)));
    }
    Ok(figures)
}

fn mandelbrot(context: &Context, side: i64) -> Result<Band, warpwise::Error> {
    let function = context.compile(|first: Exp<i64>, count: Exp<i64>, size: Exp<i64>| {
        let place = (Exp::constant(-0.4_f32), Exp::constant(0.75_f32));
        let limits = (Exp::constant(400), Exp::constant(256.0_f32));
        escapes((first, count), size, place, Exp::constant(1.2_f32), limits)
    })?;
    Ok(Box::new(move |first, count| function.run(first, count, side).map(drop)))
}

fn ray(context: &Context, side: i64) -> Result<Band, warpwise::Error> {
    let function =
        context.compile(|scene: Acc<Vector<Sphere>>, first: Exp<i64>, count: Exp<i64>, size: Exp<i64>| {
            trace_part(&scene, (first, count), size, size)
        })?;
    let scene = spheres();
    let scene = Array::from_vec([scene.len()], scene)?;
    Ok(Box::new(move |first, count| function.run(&scene, first, count, side).map(drop)))
}
