//! Warpwise as a peer: the library, in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::build::build;
use warpwise_driver::cache::DiskCache;
use warpwise_driver::{Context, Options, Program};
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value as RuntimeValue};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::Work;

/// A compiled program with its inputs in place.
pub struct Ours {
    name: String,
    entry: &'static str,
    program: Program,
    inputs: Vec<RuntimeValue>,
    results: Vec<RuntimeValue>,
}

impl Ours {
    /// Compiles the work's program with these options and passes the inputs to it.
    pub fn prepare(
        root: &Path,
        name: &str,
        work: &Work,
        inputs: &[Value],
        threads: usize,
        options: &Options,
    ) -> Result<Ours, String> {
        Ours::prepare_cached(root, name, work, inputs, threads, options, None)
    }

    /// Like [`Ours::prepare`], with code from a cache, if it is there.
    pub fn prepare_cached(
        root: &Path,
        name: &str,
        work: &Work,
        inputs: &[Value],
        threads: usize,
        options: &Options,
        cache: Option<&DiskCache>,
    ) -> Result<Ours, String> {
        let memory = MemoryPool::with_default_limit();
        let context = Context::with(ThreadPool::new(threads), memory.clone());
        let path = root.join("benchmarks").join(work.program);
        let built = build(&path, options, cache).map_err(|error| error.to_string())?;
        let program = built.compiled.load(&context).map_err(|error| error.to_string())?;
        let inputs: Result<Vec<RuntimeValue>, String> =
            inputs.iter().map(|value| hand_over(value, &memory)).collect();
        Ok(Ours { name: name.to_string(), entry: work.entry, program, inputs: inputs?, results: Vec::new() })
    }
}

impl Peer for Ours {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        // The memory of the last results returns to the pool, as it would in a program that calls again.
        self.results.clear();
        let arguments = self.inputs.clone();
        let start = Instant::now();
        self.results = self.program.call(self.entry, arguments).map_err(|error| error.to_string())?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.results.iter().map(hand_back).collect()
    }
}

/// Converts an input to a run-time value.
pub fn hand_over(value: &Value, memory: &MemoryPool) -> Result<RuntimeValue, String> {
    let scalar = value.shape.is_empty();
    let ty = match value.kind {
        Kind::F32 if scalar => return Ok(RuntimeValue::from_element(value.f32s()[0])),
        Kind::F64 if scalar => return Ok(RuntimeValue::from_element(value.f64s()[0])),
        Kind::I32 if scalar => return Ok(RuntimeValue::from_element(value.i32s()[0])),
        Kind::I64 if scalar => return Ok(RuntimeValue::from_element(value.i64s()[0])),
        Kind::F32 => ValueType::F32,
        Kind::F64 => ValueType::F64,
        Kind::I32 => ValueType::I32,
        Kind::I64 => ValueType::I64,
    };
    let shape: Vec<i64> = value.shape.iter().map(|size| *size as i64).collect();
    let mut array = Array::allocate(memory, ty.scalar(), &shape).map_err(|error| error.to_string())?;
    array.bytes_mut(memory).map_err(|error| error.to_string())?.copy_from_slice(value.bytes());
    Ok(RuntimeValue::array(ty, array))
}

/// Converts a result to the form that is compared.
pub fn hand_back(value: &RuntimeValue) -> Result<Value, String> {
    let kind = match value.element_type() {
        ValueType::F32 => Kind::F32,
        ValueType::F64 => Kind::F64,
        ValueType::I32 => Kind::I32,
        ValueType::I64 => Kind::I64,
        other => return Err(format!("no work has results of type {other:?}")),
    };
    let shape: Vec<usize> = value.shape().iter().map(|size| *size as usize).collect();
    let mut copy = Value::zeros(kind, &shape);
    match value {
        RuntimeValue::Array { array, .. } => copy.bytes_mut().copy_from_slice(array.bytes()),
        RuntimeValue::Scalar { value, .. } => {
            let size = kind.size();
            copy.bytes_mut().copy_from_slice(&value.to_bits().to_le_bytes()[..size]);
        }
    }
    Ok(copy)
}
