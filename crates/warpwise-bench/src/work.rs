//! What is measured: every work's program, inputs, baseline, limit and the ratio it should reach.
//!
//! Sizes are larger than the caches where memory is the limit. `scale` shrinks them for a quick look; ratios
//! of shrunken works say little.

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
    /// The program, below `benchmarks/`.
    pub program: &'static str,
    /// Its entry point.
    pub entry: &'static str,
    /// The baseline's source, without its ending.
    pub source: &'static str,
    /// The baseline's function.
    pub symbol: &'static str,
    /// The ISPC source, without its ending, if there is one.
    pub ispc: Option<&'static str>,
    /// The sizes that the baseline is called with.
    pub sizes: Vec<i64>,
    /// Makes the arguments.
    pub inputs: Box<dyn Fn() -> Vec<Value>>,
    /// The results.
    pub outputs: Vec<Output>,
    /// How far results may differ.
    pub tolerance: Tolerance,
    /// What bounds the time from below, if that is known.
    pub limit: Option<Limit>,
    /// What the table asks for.
    pub goal: Goal,
    /// Whether more licence for floats can change the time.
    pub fast: bool,
}

/// A result of a work.
#[derive(Clone, Debug)]
pub enum Output {
    /// An array, or a scalar if there are no sizes.
    Array(Kind, Vec<usize>),
    /// At most so many elements; a baseline gives their number besides.
    Counted(Kind, usize),
}

impl Output {
    /// Room for what a baseline writes.
    pub fn room(&self) -> Vec<Value> {
        match self {
            Output::Array(kind, shape) => vec![Value::zeros(*kind, shape)],
            Output::Counted(kind, most) => vec![Value::zeros(*kind, &[*most]), Value::i64(0)],
        }
    }

    /// The result in what a baseline wrote; takes what [`Output::room`] gave from the front of `slots`.
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

/// What has to be done at least, in units that the probes measure.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// So many bytes are read, nothing to speak of is written.
    Read(f64),
    /// So many bytes move, half of them read, half written.
    Copy(f64),
    /// So many bytes move, two thirds read, one third written.
    Triad(f64),
    /// So many bytes move as in a copy, and others are only read.
    CopyAndRead(f64, f64),
    /// So many floating-point operations, all in multiply-adds.
    Operations(f64),
}

/// The measure of a row and what it must reach.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// A share of the limit.
    Share(f64),
    /// The time of strict C over ours.
    StrictC(f64),
    /// The time of the best C over ours.
    BestC(f64),
    /// The time of ISPC over ours, of strict C where there is no ISPC.
    Ispc(f64),
    /// The time of OpenBLAS over ours.
    OpenBlas(f64),
}
