//! Marshalling of values to accelerated expressions and back, against copying the same number of bytes in memory.

use std::time::Instant;

use warpwise_driver::Context;
use warpwise_driver::host::program::Mode;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::measure::Ratio;

use super::program::HostProgram;

/// Number of numbers.
const NUMBERS: usize = 10_000_000;

/// Programs that compute almost nothing, with the moved values.
const PROGRAMS: [(&str, &str); 3] = [
    (
        "a sequence of floats",
        "let s = create (string2int (get argv 1)) (lam i. int2float i)
mexpr accelerate (map (addf 1.0) s)",
    ),
    (
        "a sequence of integers",
        "let s = create (string2int (get argv 1)) (lam i. i)
mexpr accelerate (map (addi 1) s)",
    ),
    (
        "a tensor of floats",
        "let t = tensorCreateCArrayFloat [string2int (get argv 1)] (lam. 1.0)
let twice = lam t. lam i. tensorSetExn t [i] (mulf 2.0 (tensorGetExn t [i]))
mexpr accelerate (loop (get (tensorShape t) 0) (twice t))",
    ),
];

/// The figures of one kind of value.
#[derive(serde::Serialize)]
pub struct Figures {
    /// Name of the moved values.
    pub name: String,
    /// Seconds in both directions.
    pub time: f64,
    /// Ratio of the bandwidth in both directions to that of copying.
    pub of_copying: Ratio,
}

/// Measures all kinds of values.
pub fn figures(threads: usize, rounds: usize, share: f64) -> Result<Vec<Figures>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let n = ((NUMBERS as f64 * share) as usize).max(1000);
    let context = Context::with(ThreadPool::new(threads), MemoryPool::with_default_limit());
    let mut all = Vec::new();
    for (name, text) in PROGRAMS {
        let path = folder.path().join("moving.mc");
        let text = format!("include \"string.mc\"\n{text}\n");
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        let mut program = HostProgram::new(&path, &context, Mode::Accelerated)?;
        let (mut times, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let before = program.accelerator()?.marshaled();
            program.run(&[n.to_string()])?;
            let after = program.accelerator()?.marshaled();
            let time = (after.moving - before.moving).as_secs_f64();
            let bytes = after.given.bytes - before.given.bytes + after.returned.bytes - before.returned.bytes;
            ratios.push(bytes as f64 / time / copying(8 * n));
            times.push(time);
        }
        all.push(Figures {
            name: format!("{n} numbers: {name}"),
            time: Ratio::of(times).median,
            of_copying: Ratio::of(ratios),
        });
    }
    Ok(all)
}

/// Measures the bytes copied per second, by one thread and to memory that is in use.
fn copying(bytes: usize) -> f64 {
    let from = vec![1u8; bytes];
    let mut to = vec![2u8; bytes];
    let once = |to: &mut Vec<u8>| {
        let start = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&to);
        start.elapsed().as_secs_f64()
    };
    let best = (0..5).map(|_| once(&mut to)).fold(f64::INFINITY, f64::min);
    bytes as f64 / best
}
