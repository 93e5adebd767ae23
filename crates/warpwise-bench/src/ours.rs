//! Warpwise as a peer: the library, in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use warpwise::compiler::compile_core;
use warpwise::{Compiled, Context, Options, Program};
use warpwise_diag::{Bug, Failure, FileId, Sources, render_failure};
use warpwise_fut::check::{Input as CheckInput, check};
use warpwise_fut::lower::{Input as LowerInput, lower};
use warpwise_fut::syntax::imports::{Loaded, ReadError, SourceFile, SourceProvider, load};
use warpwise_fut::syntax::session::Session;
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
    /// Compiles the work's program and hands it the inputs.
    pub fn prepare(
        root: &Path,
        name: &str,
        work: &Work,
        inputs: &[Value],
        threads: usize,
    ) -> Result<Ours, String> {
        let memory = MemoryPool::with_default_limit();
        let context = Context::with(ThreadPool::new(threads), memory.clone());
        let compiled = compile(root, work.program)?;
        let program = compiled.load(&context).map_err(|error| error.to_string())?;
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
        // The memory of the last results goes back to the pool, as it would in a program that calls again.
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

fn hand_over(value: &Value, memory: &MemoryPool) -> Result<RuntimeValue, String> {
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

fn hand_back(value: &RuntimeValue) -> Result<Value, String> {
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

/// Files beside the one that imports them, and the prelude's from the repository.
struct Files<'a> {
    root: &'a Path,
}

impl SourceProvider for Files<'_> {
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        let folder =
            if importing.is_empty() { self.root } else { Path::new(importing).parent().unwrap_or(self.root) };
        let file = folder.join(format!("{path}.fut")).display().to_string();
        let text = std::fs::read_to_string(&file)
            .map_err(|error| ReadError::NotFound(format!("{file}: {error}")))?;
        Ok(SourceFile { key: file.clone(), name: file, text })
    }
}

/// Compiles a program below `benchmarks/`.
pub fn compile(root: &Path, program: &str) -> Result<Compiled, String> {
    let mut sources = Sources::default();
    compile_into(root, program, &mut sources).map_err(|failure| render_failure(&sources, &failure, false))
}

fn compile_into(root: &Path, program: &str, sources: &mut Sources) -> Result<Compiled, Failure> {
    let mut session = Session::new();
    let prelude = load_file(&root.join("crates/warpwise-fut/prelude"), "prelude", sources, &mut session)?;
    let loaded =
        load_file(&root.join("benchmarks"), program.trim_end_matches(".fut"), sources, &mut session)?;
    let (typed, _) = check(&mut session, sources, CheckInput { program: &loaded, prelude: Some(&prelude) })?;
    let files: FxHashSet<FileId> = prelude.units.iter().map(|unit| unit.file).collect();
    let names = &session.names;
    let mut core = lower(LowerInput { program: &typed, names, sources, prelude: &files, unchecked: false })?;
    compile_core(&mut core, sources, &Options::default())
}

fn load_file(
    folder: &Path,
    name: &str,
    sources: &mut Sources,
    session: &mut Session,
) -> Result<Loaded, Failure> {
    let files = Files { root: folder };
    let bug = |message| Bug { pass: "load".into(), message, ir: String::new() };
    let root = files.read("", name).map_err(|error| bug(format!("{error:?}")))?;
    load(root, &files, sources, session).map_err(Failure::User)
}
