//! Runs the code of the register machine ([`crate::machine`]) and launches its kernels.
//!
//! A [`Machine`] is a loaded program: host code, the kernels' native code, and the threads and memory that they use.
//! Alternatively its kernels are on a device ([`OnDevice`]), and all arrays lie there during a run. Every run has registers of
//! its own; runs of one machine may follow each other or overlap.
//!
//! Failures are reported as [`RunError`]: the first failing iteration of a launch, an exceeded budget, an interrupt. No result of
//! a failed run is observable.
//!
//! Absent on purpose: compilation, value formats, shapes of arguments (the driver checks those).

mod error;
mod frame;
mod held;
mod launch;
mod offload;
mod pending;
mod profile;
mod rescue;
mod task;
mod tuning;
mod views;
mod watch;

pub use error::RunError;
pub use offload::OnDevice;
pub use profile::{Spent, Step};
pub use tuning::UsedParameter;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use warpwise_prim::Scalar;

use crate::array::Array;
use crate::device::array::DeviceArray;
use crate::device::memory::{DeviceBlock, Traffic};
use crate::kernel::KernelFn;
use crate::machine::Module;
use crate::memory::{Block, MemoryPool, PoolStatistics};
use crate::pool::{CancelFlag, ThreadPool};

use frame::Frame;
use profile::Profile;
use rescue::Rescue;
use task::Workers;
use tuning::Tuning;

/// A loaded program with its threads and memory.
pub struct Machine {
    module: Arc<Module>,
    code: Code,
    threads: Arc<ThreadPool>,
    memory: MemoryPool,
    tuning: Tuning,
    workers: Workers,
    profile: Profile,
}

/// The kernels of a program.
enum Code {
    /// Native code.
    Cpu(Vec<KernelFn>),
    /// Kernels on a device.
    Device(OnDevice),
}

/// An argument of a host function.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A scalar.
    Scalar(Scalar),
    /// The block of a dense row-major array; its sizes are arguments of their own.
    Block(Arc<Block>),
    /// The block of such an array in the memory of the device that the program runs on.
    Resident(Arc<DeviceBlock>),
}

/// A result of a host function; its arrays lie on the host or on a device.
#[derive(Clone, Debug)]
pub enum Output<A = Array> {
    /// A scalar.
    Scalar(Scalar),
    /// An array.
    Array(A),
}

impl Machine {
    /// Loads a program. `kernels` are the module's kernels, in its order; `tuning` sets tuning parameters by name.
    pub fn new(
        module: Module,
        kernels: Vec<KernelFn>,
        threads: Arc<ThreadPool>,
        memory: MemoryPool,
        tuning: HashMap<String, i64>,
    ) -> Machine {
        debug_assert_eq!(module.kernels.len(), kernels.len());
        Machine::with(module, Code::Cpu(kernels), threads, memory, tuning)
    }

    /// Loads a program whose kernels run on a device. `memory` is the host's memory, for results.
    pub fn on(
        device: OnDevice,
        module: Module,
        threads: Arc<ThreadPool>,
        memory: MemoryPool,
        tuning: HashMap<String, i64>,
    ) -> Machine {
        Machine::with(module, Code::Device(device), threads, memory, tuning)
    }

    fn with(
        module: Module,
        code: Code,
        threads: Arc<ThreadPool>,
        memory: MemoryPool,
        tuning: HashMap<String, i64>,
    ) -> Machine {
        let workers = Workers::new(threads.threads(), &memory);
        let profile = Profile::new(module.kernels.len());
        let tuning = Tuning::new(tuning);
        Machine { module: Arc::new(module), code, threads, memory, tuning, workers, profile }
    }

    /// Returns the same program on the same threads in other memory, or `None` for a program on a device.
    pub fn within(&self, memory: MemoryPool) -> Option<Machine> {
        self.on_threads(Arc::clone(&self.threads), memory)
    }

    /// Returns the same program on other threads in other memory, or `None` for a program on a device.
    pub fn on_threads(&self, threads: Arc<ThreadPool>, memory: MemoryPool) -> Option<Machine> {
        let Code::Cpu(kernels) = &self.code else { return None };
        Some(Machine {
            module: Arc::clone(&self.module),
            code: Code::Cpu(kernels.clone()),
            workers: Workers::new(threads.threads(), &memory),
            threads,
            memory,
            tuning: self.tuning.copied(),
            profile: Profile::new(self.module.kernels.len()),
        })
    }

    fn on_device(&self) -> Option<&OnDevice> {
        match &self.code {
            Code::Cpu(_) => None,
            Code::Device(device) => Some(device),
        }
    }

    /// Returns the program.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the memory of the host's arrays.
    pub fn memory(&self) -> &MemoryPool {
        &self.memory
    }

    /// Returns the flag that asks runs on the machine's threads to stop.
    pub fn cancel_flag(&self) -> &CancelFlag {
        self.threads.cancel_flag()
    }

    /// Starts counting the time of launches, copies and fills.
    pub fn start_profile(&self) {
        self.profile.start();
    }

    /// Starts counting as [`Machine::start_profile`] does, and also keeps every launch, copy and fill.
    pub fn start_steps(&self) {
        self.profile.start_steps();
    }

    /// Stops counting until it is started again.
    pub fn stop_profile(&self) {
        self.profile.stop();
    }

    /// Returns statistics of the device's memory since it was opened; `None` on the processor.
    pub fn traffic(&self) -> Option<(PoolStatistics, Traffic)> {
        self.on_device().map(|device| (device.memory.statistics(), device.memory.traffic()))
    }

    /// Returns the counts, the longest first.
    pub fn profile(&self) -> Vec<Spent> {
        self.profile.spent(&self.module.kernels)
    }

    /// Returns every launch, copy and fill since [`Machine::start_steps`], in the order in which they ended.
    pub fn steps(&self) -> Vec<Step> {
        self.profile.steps(&self.module.kernels)
    }

    /// Returns the steps as [`Machine::steps`] does, and forgets them.
    pub fn take_steps(&self) -> Vec<Step> {
        self.profile.take_steps(&self.module.kernels)
    }

    /// Sets the tuning parameters of later runs; parameters without a value get their defaults.
    pub fn tune(&self, tuning: HashMap<String, i64>) {
        self.tuning.set(tuning);
    }

    /// Starts recording which tuning parameters are used, and which values they are compared with.
    pub fn watch_parameters(&self) {
        self.tuning.watch();
    }

    /// Ends [`Machine::watch_parameters`] and returns the recorded parameters in order of first use.
    pub fn watched_parameters(&self) -> Vec<UsedParameter> {
        self.tuning.watched()
    }

    /// Runs a host function. The arguments match the function's slots in number and kind. Blocks of consumed parameters are
    /// overwritten.
    pub fn run(&self, function: usize, arguments: Vec<Argument>) -> Result<Vec<Output>, RunError> {
        self.run_frame(function, arguments, &Rc::default(), &mut Vec::new())?.outputs(Machine::hand_out)
    }

    /// Runs a host function as [`Machine::run`] does. If the run fails, `intact` gets the blocks of the arguments that only the run
    /// holds and that it has not used up.
    pub fn run_or_return(
        &self,
        function: usize,
        arguments: Vec<Argument>,
        intact: &mut Vec<Arc<Block>>,
    ) -> Result<Vec<Output>, RunError> {
        let rescue = Rc::new(Rescue::of(&arguments));
        self.run_frame(function, arguments, &rescue, intact)?.outputs(Machine::hand_out)
    }

    /// Runs a host function as [`Machine::run`] does, for a program on a device; the results' arrays stay there.
    pub fn run_resident(
        &self,
        function: usize,
        arguments: Vec<Argument>,
    ) -> Result<Vec<Output<DeviceArray>>, RunError> {
        self.run_frame(function, arguments, &Rc::default(), &mut Vec::new())?.outputs(Machine::lend)
    }

    /// Runs a host function. If that fails, `intact` gets the arguments that are given back.
    fn run_frame(
        &self,
        function: usize,
        arguments: Vec<Argument>,
        rescue: &Rc<Rescue>,
        intact: &mut Vec<Arc<Block>>,
    ) -> Result<Frame<'_>, RunError> {
        let mut frame = Frame::new(self, &self.module.functions[function], Rc::default(), Rc::clone(rescue));
        frame.set_arguments(arguments)?;
        // After a failed call the frame may be another activation; all activations share the watch.
        let watch = Rc::clone(&frame.watch);
        let done = frame.run(intact);
        self.end(&watch, done)?;
        Ok(frame)
    }
}
