//! Compiled programs: as data that a cache can keep, and loaded for execution.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use warpwise_cpu::{LoadError, LoadedKernels, Object};
use warpwise_gpu::kernel_text::{Dialect, KernelText};
use warpwise_ir::{Body, Expr, Operand, Program as CoreProgram};
use warpwise_runtime::array::Value;
use warpwise_runtime::device::DeviceKernels;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::{DeviceMemory, Traffic};
use warpwise_runtime::execute::{Argument, Machine, RunError, Spent, Step, UsedParameter};
use warpwise_runtime::machine::Module;
use warpwise_runtime::memory::{MemoryPool, PoolStatistics};
use warpwise_runtime::pool::ThreadPool;
use warpwise_standalone::entry::{ArgumentError, Entry, Signature};

use crate::cache::DiskCache;
use crate::open::OpenDevices;

/// A compiled program, independent of files and open devices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compiled {
    /// Host code.
    pub module: Module,
    /// Kernels.
    pub code: Code,
    /// Entry points, in the order of the source.
    pub entries: Vec<Entry>,
}

/// The kernels of a compiled program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Code {
    /// Machine code for the processor.
    Cpu(Object),
    /// Text for a device.
    Device {
        /// The language, which determines the kind of device.
        dialect: Dialect,
        /// The device's number.
        number: usize,
        /// The text.
        text: KernelText,
    },
}

/// The threads and the memory that programs run on. Clones share both.
#[derive(Clone, Debug)]
pub struct Context {
    threads: Arc<ThreadPool>,
    memory: MemoryPool,
    device_limit: Option<u64>,
    /// The devices that programs were loaded on, each with its memory, which all these programs share.
    devices: Arc<OpenDevices>,
    kernels: Option<DiskCache>,
    tuning: HashMap<String, i64>,
}

/// A program ready to run.
pub struct Program {
    machine: Machine,
    entries: Vec<Entry>,
    signatures: Vec<Signature>,
    /// The machine code that `machine` calls; dropped after it.
    _kernels: Option<Arc<LoadedKernels>>,
}

/// The reason why a call of an entry point failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// There is no entry point of this name; the second field lists the existing ones.
    NoEntry(String, Vec<String>),
    /// The arguments do not fit.
    Argument(ArgumentError),
    /// The run failed.
    Run(RunError),
}

impl Context {
    /// Creates a context with all cores, and with 80 % of the machine's memory.
    pub fn new() -> Context {
        Context::with(ThreadPool::with_all_cores(), MemoryPool::with_default_limit())
    }

    /// Creates a context with these threads and this memory.
    pub fn with(threads: ThreadPool, memory: MemoryPool) -> Context {
        let (devices, tuning) = (Arc::default(), HashMap::new());
        Context { threads: Arc::new(threads), memory, device_limit: None, devices, kernels: None, tuning }
    }

    /// Returns a context with the same threads and other memory.
    pub fn with_memory(&self, memory: MemoryPool) -> Context {
        Context { memory, ..self.clone() }
    }

    /// Limits the device memory that programs loaded from now on use together. The default is 80 % of the device's memory.
    pub fn limit_device(&mut self, bytes: u64) {
        self.device_limit = Some(bytes);
        self.devices = Arc::default();
    }

    /// Returns the memory of a device. Opens the device if no program was loaded on it yet.
    pub fn device_memory(&self, dialect: Dialect, number: usize) -> Result<DeviceMemory, LoadProgramError> {
        let opened = self.devices.open((dialect, number), self.device_limit);
        opened.map(|opened| opened.memory().clone()).map_err(LoadProgramError::Device)
    }

    /// Sets the cache for the binaries that drivers of devices make from kernels.
    pub fn keep_kernels(&mut self, cache: DiskCache) {
        self.kernels = Some(cache);
    }

    /// Builds kernels that belong to no program, on a device.
    pub fn build_kernels(
        &self,
        (dialect, number): (Dialect, usize),
        text: &KernelText,
    ) -> Result<Arc<dyn DeviceKernels>, String> {
        self.devices.open((dialect, number), self.device_limit)?.build(text)
    }

    /// Sets a tuning parameter of programs loaded from now on.
    pub fn tune(&mut self, name: impl Into<String>, value: i64) {
        self.tuning.insert(name.into(), value);
    }

    /// Replaces the tuning parameters that are set by their values in a core program, for an interpreter.
    pub fn fix_tuned(&self, program: &mut CoreProgram) {
        for function in program.functions.values_mut() {
            self.fix_tuned_in(&mut function.body);
        }
    }

    fn fix_tuned_in(&self, body: &mut Body) {
        for stm in &mut body.stms {
            if let Expr::Tuned { name, .. } = &stm.expr
                && let Some(&value) = self.tuning.get(name)
            {
                stm.expr = Expr::Operand(Operand::i64(value));
            }
            stm.expr.for_each_body_mut(|body| self.fix_tuned_in(body));
        }
    }

    /// Returns the threads.
    pub fn threads(&self) -> &ThreadPool {
        &self.threads
    }

    /// Returns the memory that arrays for this context's programs should lie in.
    pub fn memory(&self) -> &MemoryPool {
        &self.memory
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

impl Compiled {
    /// Links the kernels into this process, or builds them on their device.
    pub fn load(self, context: &Context) -> Result<Program, LoadProgramError> {
        let Compiled { module, code, entries } = self;
        let (threads, memory) = (Arc::clone(&context.threads), context.memory.clone());
        let tuning = context.tuning.clone();
        let signature = |entry: &Entry| Signature::of(entry, &module.functions[entry.function]);
        let signatures = entries.iter().map(signature).collect();
        let (machine, kernels) = match code {
            Code::Cpu(object) => {
                let kernels = warpwise_cpu::load(&object).map_err(LoadProgramError::Cpu)?;
                let functions = kernels.functions().to_vec();
                (Machine::new(module, functions, threads, memory, tuning), Some(Arc::new(kernels)))
            }
            Code::Device { dialect, number, text } => {
                let opened = context.devices.open((dialect, number), context.device_limit);
                let device = opened
                    .and_then(|opened| opened.load(&text, &module.kernels, context.kernels.as_ref()))
                    .map_err(LoadProgramError::Device)?;
                (Machine::on(device, module, threads, memory, tuning), None)
            }
        };
        Ok(Program { machine, entries, signatures, _kernels: kernels })
    }
}

/// The reason why a compiled program cannot be loaded.
#[derive(Debug)]
pub enum LoadProgramError {
    /// The machine code does not fit this process.
    Cpu(LoadError),
    /// There is no such device, or it lacks a feature that the program needs.
    Device(String),
}

impl fmt::Display for LoadProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadProgramError::Cpu(error) => error.fmt(f),
            LoadProgramError::Device(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for LoadProgramError {}

impl Program {
    /// Returns the entry points, in the order of the source.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entry point of this name.
    pub fn entry(&self, name: &str) -> Result<&Entry, CallError> {
        Ok(&self.entries[self.number(name)?])
    }

    fn number(&self, name: &str) -> Result<usize, CallError> {
        self.entries.iter().position(|entry| entry.point.name == name).ok_or_else(|| {
            let names = self.entries.iter().map(|entry| entry.point.name.clone()).collect();
            CallError::NoEntry(name.to_string(), names)
        })
    }

    /// Returns the same code with other memory; `None` for programs on devices, which have memory of their own.
    pub fn within(&self, memory: MemoryPool) -> Option<Program> {
        let machine = self.machine.within(memory)?;
        let (entries, signatures) = (self.entries.clone(), self.signatures.clone());
        Some(Program { machine, entries, signatures, _kernels: self._kernels.clone() })
    }

    /// Returns the same code on a context's threads and in its memory; `None` for programs on devices.
    pub fn on(&self, context: &Context) -> Option<Program> {
        let machine = self.machine.on_threads(Arc::clone(&context.threads), context.memory.clone())?;
        let (entries, signatures) = (self.entries.clone(), self.signatures.clone());
        Some(Program { machine, entries, signatures, _kernels: self._kernels.clone() })
    }

    /// Returns the names of the tuning parameters.
    pub fn parameters(&self) -> Vec<&str> {
        self.machine.module().parameters()
    }

    /// Sets the tuning parameters of later calls. Parameters that are not named get their defaults.
    pub fn tune(&self, parameters: HashMap<String, i64>) {
        self.machine.tune(parameters);
    }

    /// Starts to record which tuning parameters calls use, and the values they are compared with.
    pub fn watch_parameters(&self) {
        self.machine.watch_parameters();
    }

    /// Ends [`Program::watch_parameters`], and returns what was recorded, in the order of first uses.
    pub fn watched_parameters(&self) -> Vec<UsedParameter> {
        self.machine.watched_parameters()
    }

    /// Starts to record where calls spend their time.
    pub fn start_profile(&self) {
        self.machine.start_profile();
    }

    /// Returns where calls have spent their time, the longest first.
    pub fn profile(&self) -> Vec<Spent> {
        self.machine.profile()
    }

    /// Does the same as [`Program::start_profile`], and also keeps every launch, copy and fill.
    pub fn start_steps(&self) {
        self.machine.start_steps();
    }

    /// Returns every launch, copy and fill since [`Program::start_steps`], in the order in which they ended.
    pub fn steps(&self) -> Vec<Step> {
        self.machine.steps()
    }

    /// Returns statistics of the device's memory since it was opened, for all programs of the context; `None` on the processor.
    pub fn device_memory(&self) -> Option<(PoolStatistics, Traffic)> {
        self.machine.traffic()
    }

    /// Calls an entry point. Arrays of the result may share memory with arguments, except arguments that the entry point consumes.
    pub fn call(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, CallError> {
        self.call_placed(entry, arguments.into_iter().map(Placed::Host))
    }

    /// Does the same as [`Program::call`]. Arguments may lie on the device that the program runs on, in its context's memory.
    pub fn call_placed(
        &self,
        entry: &str,
        arguments: impl ExactSizeIterator<Item = Placed>,
    ) -> Result<Vec<Value>, CallError> {
        let (number, arguments) = self.arguments(entry, arguments)?;
        let outputs = self.machine.run(self.entries[number].function, arguments).map_err(CallError::Run)?;
        Ok(self.signatures[number].values(outputs))
    }

    /// Does the same as [`Program::call_placed`] for a program on a device, and leaves the result's arrays there.
    pub fn call_resident(
        &self,
        entry: &str,
        arguments: impl ExactSizeIterator<Item = Placed>,
    ) -> Result<Vec<Placed>, CallError> {
        let (number, arguments) = self.arguments(entry, arguments)?;
        let function = self.entries[number].function;
        let outputs = self.machine.run_resident(function, arguments).map_err(CallError::Run)?;
        Ok(self.signatures[number].placed_values(outputs))
    }

    /// Returns the number of an entry point, and the arguments of its host function.
    fn arguments(
        &self,
        entry: &str,
        values: impl ExactSizeIterator<Item = Placed>,
    ) -> Result<(usize, Vec<Argument>), CallError> {
        let number = self.number(entry)?;
        let arguments = self.signatures[number].placed_arguments(values, self.machine.memory());
        Ok((number, arguments.map_err(CallError::Argument)?))
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::NoEntry(name, names) if names.is_empty() => {
                write!(f, "there is no entry point `{name}`: the program has none")
            }
            CallError::NoEntry(name, names) => {
                write!(f, "there is no entry point `{name}`; there are: {}", names.join(", "))
            }
            CallError::Argument(error) => error.fmt(f),
            CallError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CallError {}
