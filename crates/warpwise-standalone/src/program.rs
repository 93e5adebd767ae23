//! A program that is linked into this process, ready to run.

use std::collections::HashMap;
use std::sync::Arc;

use warpwise_runtime::array::Value;
use warpwise_runtime::execute::{Argument, Machine, RunError, Spent, Step};
use warpwise_runtime::kernel::KernelFn;
use warpwise_runtime::machine::{Instr, Module};
use warpwise_runtime::memory::{MemoryPool, default_limit};
use warpwise_runtime::pool::{CancelFlag, MOST_THREADS, ThreadPool, available_cores};

use crate::entry::{ArgumentError, Entry, Signature};
use crate::image::ImageProgram;
use crate::interface::{Interface, Naming};
use crate::lending::Lent;
use crate::value::{Held, Problem, Values, argument_name, misuse};

/// Settings for running a program.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Number of threads; by default one for each core.
    pub threads: Option<usize>,
    /// Bound on memory, in bytes; by default most of the machine's memory.
    pub memory_limit: Option<u64>,
    /// Tuning parameters that are set, by name.
    pub tuning: HashMap<String, i64>,
}

/// A program ready to run.
pub struct Program {
    machine: Machine,
    entries: Vec<Entry>,
    signatures: Vec<Signature>,
    /// Types of its entry points.
    pub interface: Interface,
}

impl Program {
    /// Creates a program from an image and its kernels.
    pub fn new(image: ImageProgram, kernels: Vec<KernelFn>, settings: &Settings) -> Result<Program, Problem> {
        let ImageProgram { module, entries } = image;
        if module.kernels.len() != kernels.len() {
            return Err(Problem::Other("the program is damaged: kernels are missing".to_string()));
        }
        let interface = Interface::of(entries.iter().map(|entry| &entry.point), Naming::default());
        let threads = settings.threads.unwrap_or_else(available_cores).clamp(1, MOST_THREADS);
        let memory = MemoryPool::new(settings.memory_limit.unwrap_or_else(default_limit));
        let threads = Arc::new(ThreadPool::new(threads));
        let signatures =
            entries.iter().map(|entry| Signature::of(entry, &module.functions[entry.function])).collect();
        let machine = Machine::new(module, kernels, threads, memory, settings.tuning.clone());
        Ok(Program { machine, entries, signatures, interface })
    }

    /// Returns the entry points, in the order of the source.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the memory of its arrays.
    pub fn memory(&self) -> &MemoryPool {
        self.machine.memory()
    }

    /// Returns the operations on its values.
    pub fn values(&self) -> Values<'_> {
        Values { interface: &self.interface, memory: self.memory() }
    }

    /// Returns the flag that asks runs to stop.
    pub fn cancel_flag(&self) -> &CancelFlag {
        self.machine.cancel_flag()
    }

    /// Sets the tuning parameters of later calls; those without a value get their defaults.
    pub fn tune(&self, tuning: HashMap<String, i64>) {
        self.machine.tune(tuning);
    }

    /// Starts to record where calls spend their time, or goes on with it.
    pub fn start_profile(&self) {
        self.machine.start_profile();
    }

    /// Starts to record where calls spend their time, and every single step of them.
    pub fn start_steps(&self) {
        self.machine.start_steps();
    }

    /// Stops recording until it is started again.
    pub fn stop_profile(&self) {
        self.machine.stop_profile();
    }

    /// Returns where calls have spent their time, the longest first.
    pub fn profile(&self) -> Vec<Spent> {
        self.machine.profile()
    }

    /// Returns the steps that calls have made since this was last asked, in order.
    pub fn take_steps(&self) -> Vec<Step> {
        self.machine.take_steps()
    }

    /// Checks arguments and converts them for a run. Consumed arguments that are shared are copied.
    pub fn prepare(&self, entry: usize, arguments: Vec<Value>) -> Result<Vec<Argument>, Problem> {
        self.signatures[entry].arguments(arguments, self.memory()).map_err(problem)
    }

    /// Checks arguments that belong to the caller. Returns the leaves for [`call`](Program::call). On failure nothing is consumed.
    pub fn lent(&self, entry: usize, arguments: &[&Held]) -> Result<Vec<Value>, Problem> {
        let inputs = &self.interface.entries[entry].inputs;
        for (at, (input, argument)) in inputs.iter().zip(arguments).enumerate() {
            self.values().usable(argument).map_err(|problem| problem.of_argument(at, input))?;
            let is_same = |other: &&Held| std::ptr::eq(*other, *argument);
            let Some(first) = arguments[..at].iter().position(is_same) else { continue };
            if input.is_consumed() || inputs[first].is_consumed() {
                return Err(misuse(&format!(
                    "{} is also {}: what is consumed can be given once",
                    argument_name(at, input),
                    argument_name(first, &inputs[first])
                )));
            }
        }
        let leaves = arguments.iter().flat_map(|argument| argument.leaves.iter().cloned()).collect();
        self.signatures[entry].checked(leaves, self.memory()).map_err(problem)
    }

    /// Runs an entry point.
    pub fn run(&self, entry: usize, arguments: Vec<Argument>) -> Result<Vec<Value>, Problem> {
        let outputs = self.machine.run(self.entries[entry].function, arguments).map_err(run_problem)?;
        Ok(self.signatures[entry].values(outputs))
    }

    /// Runs an entry point on the leaves of its arguments, which [`lent`](Program::lent) has checked, and returns its result as one
    /// value. The consumed arguments, in order, lose their leaves. If the run fails before it has used an argument up, the argument
    /// keeps its value.
    pub fn call(
        &self,
        entry: usize,
        leaves: Vec<Value>,
        consumed: &mut [&mut Held],
    ) -> Result<Held, Problem> {
        let point = &self.interface.entries[entry];
        let lent = Lent::take(consumed, &leaves);
        let mut intact = Vec::new();
        let run = || {
            let arguments = self.prepare(entry, leaves)?;
            let function = self.entries[entry].function;
            self.machine.run_or_return(function, arguments, &mut intact).map_err(run_problem)
        };
        match run() {
            Ok(outputs) => {
                lent.consumed(consumed, &point.name);
                let results = self.signatures[entry].values(outputs);
                Ok(Held::new(&self.interface, point.output.ty, results))
            }
            Err(problem) => {
                lent.give_back(consumed, &point.name, &intact);
                Err(problem)
            }
        }
    }
}

fn run_problem(error: RunError) -> Problem {
    match &error {
        RunError::Check { .. } => Problem::Program(error.to_string()),
        RunError::OutOfMemory { .. } => Problem::Memory(error.to_string()),
        RunError::Device(_) | RunError::Interrupted | RunError::Internal(_) => {
            Problem::Other(error.to_string())
        }
    }
}

fn problem(error: ArgumentError) -> Problem {
    match error {
        ArgumentError::OutOfMemory(error) => Problem::from(error),
        other => Problem::Program(other.to_string()),
    }
}

/// Returns the names of a program's tuning parameters.
pub fn tuning_parameters(module: &Module) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for instr in module.functions.iter().flat_map(|function| &function.code) {
        if let Instr::Tuned { name, .. } = instr
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}
