//! Compiles a pattern twice, by the full pipeline for all threads and in the plainest way for one, and runs both programs on the
//! same inputs.
//!
//! Their results are compared: integers exactly, floats within [`TOLERANCE`]. Runs take turns, so that a temporary slowdown of
//! the machine affects both sides; a time is the least of a side's runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_diag::render_failure;
use warpwise_driver::build::{Start, read_program};
use warpwise_driver::compiler::{compile_core, compile_unfused};
use warpwise_driver::{Compiled, Context, Options, Program};
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::deep::deep;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use super::pattern::Pattern;

/// The largest permitted difference of two floats, as a fraction of the largest magnitude among the results' elements.
pub const TOLERANCE: f64 = 2e-3;

/// Minimum total duration of each side's runs, which number at least [`RUNS`].
const COUNTED: Duration = Duration::from_millis(15);

/// Like [`COUNTED`], if the full pipeline's code seems slower: it may have waited for a core that other processes use.
const DOUBTED: Duration = Duration::from_millis(200);

/// Minimum number of runs of a side.
const RUNS: usize = 3;

/// The contexts of both sides, which share the memory.
pub struct Contexts {
    /// The context of the full pipeline's code.
    pub full: Context,
    /// The context of the plainest code, with one thread.
    pub plain: Context,
}

/// Both programs of a pattern.
pub struct Trial {
    full: Program,
    plain: Program,
    /// Compilation time of the full pipeline, in seconds.
    pub compile: f64,
}

/// The times of both programs on one input, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seconds {
    /// Time of the full pipeline's program.
    pub full: f64,
    /// Time of the plainest program.
    pub plain: f64,
}

impl Seconds {
    /// Returns the speed-up of the full pipeline's code over the plainest code.
    pub fn speedup(&self) -> f64 {
        self.plain / self.full
    }
}

impl Contexts {
    /// Creates contexts with `threads` threads for the full pipeline, and one for the plainest code.
    pub fn new(threads: usize) -> Contexts {
        let memory = MemoryPool::with_default_limit();
        let context = |threads| Context::with(ThreadPool::new(threads), memory.clone());
        Contexts { full: context(threads), plain: context(1) }
    }

    /// Returns the memory of all arrays.
    pub fn memory(&self) -> &MemoryPool {
        self.full.memory()
    }
}

impl Trial {
    /// Compiles a pattern in both ways. An error is a refusal, or a bug of the compiler.
    pub fn prepare(pattern: &Pattern, contexts: &Contexts) -> Result<Trial, String> {
        let text = pattern.program();
        let start = Start::Text { name: "nest.fut", text: &text, folder: Path::new(".") };
        let core = read_program(start, &Options::default()).map_err(|error| error.to_string())?;
        let made = |compile: &dyn Fn(&mut CoreProgram) -> Result<Compiled, warpwise_diag::Failure>| {
            let mut program = core.program.clone();
            let compiled = catch_unwind(AssertUnwindSafe(|| deep(|| compile(&mut program))));
            let compiled = compiled.map_err(|_| "the compiler panicked".to_string())?;
            compiled.map_err(|failure| render_failure(&core.sources, &failure, false))
        };
        let load = |compiled: Compiled, context| compiled.load(context).map_err(|error| error.to_string());
        let begin = Instant::now();
        let full = made(&|program| compile_core(program, &core.sources, &Options::default()))?;
        let compile = begin.elapsed().as_secs_f64();
        let plain = made(&|program| compile_unfused(program, &core.sources))
            .map_err(|problem| format!("compiled in the plainest way: {problem}"))?;
        Ok(Trial { full: load(full, &contexts.full)?, plain: load(plain, &contexts.plain)?, compile })
    }

    /// Runs both programs on an input. An error is a wrong result or a failing run.
    pub fn agree(&self, input: &Value) -> Result<(), String> {
        let (_, full) = call(&self.full, input)?;
        let (_, plain) =
            call(&self.plain, input).map_err(|problem| format!("the plainest code: {problem}"))?;
        let difference = full.iter().zip(&plain).find_map(|(full, plain)| difference(full, plain));
        difference.map_or(Ok(()), Err)
    }

    /// Times both programs on an input on which they agree.
    pub fn time(&self, input: &Value) -> Result<Seconds, String> {
        let (mut full, mut plain) = (Side::default(), Side::default());
        for counted in [COUNTED, DOUBTED] {
            while !(full.has_enough(counted) && plain.has_enough(counted)) {
                // A side that has run long enough does not go on because the other is slower.
                for (side, program) in [(&mut full, &self.full), (&mut plain, &self.plain)] {
                    if !side.has_enough(counted) {
                        side.count(call(program, input)?.0);
                    }
                }
            }
            if full.least() < plain.least() {
                break;
            }
        }
        Ok(Seconds { full: full.least(), plain: plain.least() })
    }
}

fn call(program: &Program, input: &Value) -> Result<(Duration, Vec<Value>), String> {
    let arguments = vec![input.clone()];
    let start = Instant::now();
    let results = program.call("main", arguments).map_err(|error| error.to_string())?;
    Ok((start.elapsed(), results))
}

/// The runs of a side.
#[derive(Default)]
struct Side {
    runs: usize,
    total: Duration,
    least: Option<Duration>,
}

impl Side {
    fn count(&mut self, run: Duration) {
        self.runs += 1;
        self.total += run;
        self.least = Some(self.least.map_or(run, |least| least.min(run)));
    }

    fn has_enough(&self, counted: Duration) -> bool {
        self.runs >= RUNS && self.total >= counted
    }

    fn least(&self) -> f64 {
        self.least.map_or(f64::NAN, |least| least.as_secs_f64())
    }
}

/// Returns a description of the difference of two results.
fn difference(full: &Value, plain: &Value) -> Option<String> {
    if full.element_type() != plain.element_type() || full.shape() != plain.shape() {
        return Some(format!("{} against {}", full.type_text(), plain.type_text()));
    }
    match (floats(full), floats(plain)) {
        (Some(full), Some(plain)) => float_difference(&full, &plain),
        _ => (full != plain).then(|| "integers differ".to_string()),
    }
}

/// Returns the elements of a value that holds floats.
fn floats(value: &Value) -> Option<Vec<f64>> {
    if let Value::Scalar { ty, value } = value {
        return match ty {
            ValueType::F32 => Some(vec![f64::from(f32::from_bits(value.to_bits() as u32))]),
            ValueType::F64 => Some(vec![f64::from_bits(value.to_bits())]),
            _ => None,
        };
    }
    let singles =
        value.as_slice::<f32>().map(|values| values.iter().map(|value| f64::from(*value)).collect());
    singles.or_else(|| value.as_slice::<f64>().map(<[f64]>::to_vec))
}

fn float_difference(full: &[f64], plain: &[f64]) -> Option<String> {
    let finite = plain.iter().filter(|value| value.is_finite());
    let bound = TOLERANCE * finite.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let is_far = |(a, b): (&f64, &f64)| {
        let is_same = a == b || (a.is_nan() && b.is_nan());
        !(is_same || (a - b).abs() <= bound)
    };
    let first = full.iter().zip(plain).position(is_far)?;
    Some(format!("element {first} is {} instead of {}", full[first], plain[first]))
}

#[cfg(test)]
mod tests {
    use super::super::operation::Element;
    use super::super::{draw, grid::Grid};
    use super::*;
    use warpwise_ir::generate::Random;

    #[test]
    fn differences_of_floats_are_relative_to_the_largest() {
        let differs = |a: &[f64], b: &[f64]| float_difference(a, b).is_some();
        assert!(!differs(&[1000.0, 0.5], &[1000.0, 1.5]));
        assert!(differs(&[1.0, 0.5], &[1.0, 1.5]));
        assert!(!differs(&[f64::NAN, f64::INFINITY], &[f64::NAN, f64::INFINITY]));
        assert!(differs(&[f64::NAN], &[1.0]));
        assert!(differs(&[f64::NEG_INFINITY, 1.0], &[f64::INFINITY, 1.0]));
    }

    #[test]
    fn scalars_are_compared_as_floats_too() {
        let close = [1.0f32, 1.0001].map(Value::from_element);
        assert_eq!(difference(&close[0], &close[1]), None);
        let far = [1.0f64, 1.1].map(Value::from_element);
        assert!(difference(&far[0], &far[1]).is_some());
        assert!(difference(&close[0], &far[0]).is_some());
        assert!(difference(&Value::from_element(1i32), &Value::from_element(2i32)).is_some());
    }

    #[test]
    fn every_operation_is_a_program() {
        for pattern in Element::ALL.into_iter().flat_map(draw::single) {
            let text = pattern.program();
            let start = Start::Text { name: "nest.fut", text: &text, folder: Path::new(".") };
            read_program(start, &Options::default()).unwrap_or_else(|error| panic!("{text}\n{error}"));
        }
    }

    #[test]
    fn both_ways_agree_on_small_matrices() {
        let contexts = Contexts::new(2);
        let mut random = Random::new(1);
        for pattern in draw::single(Element::I16).iter().step_by(9) {
            let trial =
                Trial::prepare(pattern, &contexts).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            for shape in Grid::of(2, 200).shapes.iter().step_by(7) {
                let input = draw::input(&mut random, Element::I16, shape, contexts.memory()).unwrap();
                assert_eq!(trial.agree(&input), Ok(()), "{pattern} on {shape:?}");
            }
        }
    }
}
