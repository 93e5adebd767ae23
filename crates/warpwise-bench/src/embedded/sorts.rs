//! Sorts against those of Rust's standard library and of rayon, which sort in place: they get a copy, which is not timed.

use std::time::{Duration, Instant};

use rayon::slice::ParallelSliceMut;
use warpwise::{Acc, Array, Context, Elt, Error, Vector};

use super::Computed;
use super::ours::words;
use super::report::{Asked, Figure};
use crate::measure::contest;
use crate::peer::Peer;
use crate::value::Value;

/// Required ratios of the times of the standard library and of rayon to Warpwise's.
const ASKED: [(&str, f64); 2] = [("std", 2.0), ("rayon", 1.2)];

/// A program that sorts.
type Program<T> = Box<dyn Fn(&Vector<T>) -> Result<Vector<T>, Error>>;

/// An array and the ways to sort it.
struct Sort<T> {
    name: String,
    from: Vec<T>,
    ours: Program<T>,
    /// Stable sort, which keeps the order of equal keys; it checks Warpwise's sort.
    stable: fn(&mut [T]),
    std: fn(&mut [T]),
    rayon: fn(&mut [T]),
}

/// A sort in place.
struct InPlace<T> {
    name: &'static str,
    from: Vec<T>,
    sort: fn(&mut [T]),
}

impl<T: Clone> Peer for InPlace<T> {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let mut copy = self.from.clone();
        let start = Instant::now();
        (self.sort)(&mut copy);
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        Ok(Vec::new())
    }
}

/// Measures sorts of pairs by a key, then of ten times as many numbers.
pub fn figures(
    context: &Context,
    pairs: usize,
    rounds: usize,
    repetitions: usize,
) -> Result<Vec<Figure>, String> {
    let numbers = 10 * pairs;
    let by_key = context.compile(|xs: Acc<Vector<(u32, f32)>>| xs.sort_by_key(|(key, _)| key));
    let integers = context.compile(|xs: Acc<Vector<u32>>| xs.sort());
    let floats = context.compile(|xs: Acc<Vector<f64>>| xs.sort());
    let (by_key, integers, floats) =
        (by_key.map_err(words)?, integers.map_err(words)?, floats.map_err(words)?);
    let by_key = Sort {
        name: format!("{pairs} pairs (u32, f32) by key"),
        from: scrambled(pairs).map(|bits| (bits as u32, (bits >> 32) as f32)).collect(),
        ours: Box::new(move |xs| by_key.run(xs)),
        stable: |xs: &mut [(u32, f32)]| xs.sort_by_key(|x| x.0),
        std: |xs| xs.sort_unstable_by_key(|x| x.0),
        rayon: |xs| xs.par_sort_unstable_by_key(|x| x.0),
    };
    let integers = Sort {
        name: format!("{numbers} u32"),
        from: scrambled(numbers).map(|bits| bits as u32).collect(),
        ours: Box::new(move |xs| integers.run(xs)),
        stable: <[u32]>::sort,
        std: <[u32]>::sort_unstable,
        rayon: |xs| xs.par_sort_unstable(),
    };
    let floats = Sort {
        name: format!("{numbers} f64"),
        from: scrambled(numbers).map(|bits| (bits >> 11) as f64 * 2.0_f64.powi(-53) - 0.5).collect(),
        ours: Box::new(move |xs| floats.run(xs)),
        stable: |xs: &mut [f64]| xs.sort_by(f64::total_cmp),
        std: |xs| xs.sort_unstable_by(f64::total_cmp),
        rayon: |xs| xs.par_sort_unstable_by(f64::total_cmp),
    };
    let by_key = compared(by_key, rounds, repetitions)?;
    let integers = compared(integers, rounds, repetitions)?;
    let floats = compared(floats, rounds, repetitions)?;
    Ok(by_key.into_iter().chain(integers).chain(floats).collect())
}

/// Checks Warpwise's sort, then runs all three sorts in turn.
fn compared<T>(sort: Sort<T>, rounds: usize, repetitions: usize) -> Result<[Figure; 2], String>
where
    T: Elt + Copy + PartialEq + 'static,
{
    let Sort { name, from, ours, stable, std, rayon } = sort;
    let array = Array::from_vec([from.len()], from.clone()).map_err(words)?;
    let mut expected = from.clone();
    stable(&mut expected);
    if ours(&array).map_err(words)?.to_vec() != expected {
        return Err(format!("{name}: not sorted"));
    }
    let mut peers: Vec<Box<dyn Peer>> = vec![
        Computed::peer("ours", |_| Vec::new(), move || ours(&array).map_err(words))?,
        Box::new(InPlace { name: "std", from: from.clone(), sort: std }),
        Box::new(InPlace { name: "rayon", from, sort: rayon }),
    ];
    let times = contest(&mut peers, rounds, repetitions)?;
    let [(std, of_std), (rayon, of_rayon)] = ASKED;
    let figure = |other: &str, index: usize, least| {
        let name = format!("sorting {name}, {other}'s sort_unstable / ours");
        Figure::asked(name, "", times[index].over(&times[0]), Asked::AtLeast(least))
    };
    Ok([figure(std, 1, of_std), figure(rayon, 2, of_rayon)])
}

/// Generates numbers in no particular order.
fn scrambled(count: usize) -> impl Iterator<Item = u64> {
    (0..count as u64).map(|i| {
        let bits = (i ^ i << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (bits ^ bits >> 29).wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23)
    })
}
