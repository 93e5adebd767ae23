//! The measured works: the program, inputs, baseline, limit and required ratio of each.
//!
//! Sizes exceed the caches where memory is the limit. `scale` shrinks them for a quick look; ratios of shrunken works mean
//! little.

mod applications;
mod device;
mod inputs;
mod irregular;
mod table;

pub use device::{DeviceGoal, DeviceWork, device_works};
pub use table::{compute_bound, works};

use crate::compare::Tolerance;
use crate::value::{Kind, Value};

/// One computation on one set of inputs.
pub struct Work {
    /// The row's name.
    pub name: String,
    /// Path of the program below `benchmarks/`.
    pub program: &'static str,
    /// Its entry point.
    pub entry: &'static str,
    /// The baseline's source, without file extension.
    pub source: &'static str,
    /// The baseline's function.
    pub symbol: &'static str,
    /// The ISPC source, without file extension, if there is one.
    pub ispc: Option<&'static str>,
    /// The sizes that the baseline is called with.
    pub sizes: Vec<i64>,
    /// Function that creates the arguments.
    pub inputs: Box<dyn Fn() -> Vec<Value>>,
    /// The results.
    pub outputs: Vec<Output>,
    /// Permitted difference of results.
    pub tolerance: Tolerance,
    /// The lower bound of the time, if it is known.
    pub limit: Option<Limit>,
    /// The figure that the table requires.
    pub goal: Goal,
    /// Whether a wider licence for floats can change the time.
    pub fast: bool,
}

/// A result of a work.
#[derive(Clone, Debug)]
pub enum Output {
    /// An array, or a scalar if there are no sizes.
    Array(Kind, Vec<usize>),
    /// An array with at most this many elements; a baseline also returns their number.
    Counted(Kind, usize),
}

impl Output {
    /// Creates the values that a baseline writes to.
    pub fn room(&self) -> Vec<Value> {
        match self {
            Output::Array(kind, shape) => vec![Value::zeros(*kind, shape)],
            Output::Counted(kind, most) => vec![Value::zeros(*kind, &[*most]), Value::i64(0)],
        }
    }

    /// Returns the result from the values that a baseline wrote; takes as many as [`Output::room`] created from the front of
    /// `slots`.
    pub fn result<'a>(&self, slots: &mut impl Iterator<Item = &'a Value>) -> Value {
        let mut slot = || slots.next().expect("a baseline has the slots that its outputs ask for");
        match self {
            Output::Array(kind, shape) => {
                let mut copy = Value::zeros(*kind, shape);
                copy.bytes_mut().copy_from_slice(slot().bytes());
                copy
            }
            Output::Counted(..) => {
                let elements = slot();
                elements.prefix(slot().i64s()[0] as usize)
            }
        }
    }
}

/// The minimum amount of work, in units that the probes measure.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// Bytes read, with negligible writes.
    Read(f64),
    /// Bytes moved, half of them read, half written.
    Copy(f64),
    /// Bytes moved, two thirds read, one third written.
    Triad(f64),
    /// Bytes moved as in a copy, and further bytes that are only read.
    CopyAndRead(f64, f64),
    /// Floating-point operations, all in multiply-adds.
    Operations(f64),
}

/// The measure of a row, with the value that it must reach.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// A share of the limit.
    Share(f64),
    /// The time of strict C over Warpwise's.
    StrictC(f64),
    /// The time of the best C over Warpwise's.
    BestC(f64),
    /// The time of ISPC over Warpwise's; of strict C if there is no ISPC.
    Ispc(f64),
    /// The time of OpenBLAS over Warpwise's.
    OpenBlas(f64),
}
