//! Execution of host functions and kernels: registers, control flow, launches.

use std::cell::RefCell;
use std::rc::Rc;

use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use super::memory::{Block, Bytes};
use super::races::{Touches, Who};
use crate::op::{Label, Op};
use crate::ops;
use crate::program::{CheckId, HostParam, HostResult, ImpProgram, Kernel, KernelParam, Launch};
use crate::types::{Mem, Operand, Reg, RegData};

/// Maximum number of operations, after which a run counts as endless.
const MOST_STEPS: u64 = 200_000_000;

/// An argument or a result.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// A scalar.
    Scalar(Scalar),
    /// A dense row-major array as bytes.
    Array(Vec<u8>),
}

/// Why a run stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// A check failed.
    Check {
        /// The check that failed.
        check: CheckId,
        /// Flat iteration of the kernel in which it failed.
        iteration: i64,
        /// Values shown in its message.
        values: Vec<Scalar>,
    },
    /// The code is wrong.
    Wrong(String),
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The results.
    pub results: Vec<Data>,
    /// Memories of the function, other than its parameters' and results', that still hold a block.
    pub leaked: Vec<String>,
}

/// Runs a function on scalars and arrays, in the order of its parameters.
pub fn run(program: &ImpProgram, function: &str, args: &[Data]) -> Result<Report, Stop> {
    run_function(program, function, args, false)
}

/// As [`run`], but runs kernels as on a device: by work-items and work-groups, whose accesses must not race.
pub fn run_on_device(program: &ImpProgram, function: &str, args: &[Data]) -> Result<Report, Stop> {
    run_function(program, function, args, true)
}

fn run_function(program: &ImpProgram, function: &str, args: &[Data], device: bool) -> Result<Report, Stop> {
    let position = program.functions.iter().position(|f| f.name == function);
    let position = position.ok_or_else(|| Stop::Wrong(format!("no function {function}")))?;
    let host = &program.functions[position];
    let mut frame = Frame::new(program, &host.regs, host.mems.len(), None);
    frame.device = device;
    let mut kept = Vec::new();
    for (param, arg) in host.params.iter().zip(args) {
        match (param, arg) {
            (HostParam::Scalar(reg), Data::Scalar(value)) => frame.set(*reg, vec![*value])?,
            (HostParam::Array { mem, .. }, Data::Array(bytes)) => {
                frame.mems[mem.index()] = Some(Bytes::with(bytes.clone()));
                kept.push(*mem);
            }
            _ => return Err(Stop::Wrong("an argument of the wrong kind".to_string())),
        }
    }
    frame.block(&host.body)?;
    let mut results = Vec::new();
    for result in &host.results {
        results.push(match result {
            HostResult::Scalar(x) => Data::Scalar(frame.scalar(*x)?),
            HostResult::Array { mem, elem, shape } => {
                let mut bytes = elem.bytes();
                for &size in shape {
                    bytes *= usize::try_from(frame.int(size)?).unwrap_or(0);
                }
                kept.push(*mem);
                Data::Array(frame.mem(*mem)?.borrow().prefix(bytes)?)
            }
        });
    }
    let held = (0..frame.mems.len()).filter(|&i| frame.mems[i].is_some());
    let leaked = held.map(Mem::new).filter(|mem| !kept.contains(mem));
    Ok(Report { results, leaked: leaked.map(|mem| host.mems[mem].name.clone()).collect() })
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Wrong(message)
    }
}

/// The way a block ended.
pub(super) enum Flow {
    /// At its end.
    On,
    /// By leaving the scope with this label.
    Left(Label),
}

/// One running host function or kernel task.
pub(super) struct Frame<'p> {
    pub program: &'p ImpProgram,
    types: &'p PrimaryMap<Reg, RegData>,
    regs: Vec<Option<Vec<Scalar>>>,
    pub mems: Vec<Option<Block>>,
    /// First failure, in a kernel.
    pub failed: Option<Option<Stop>>,
    steps: u64,
    /// Number of bytes taken from the arena.
    pub arena: i64,
    /// On a device: the identity of the work-item, and the record of its accesses.
    pub observed: Option<(Who, Rc<RefCell<Touches>>)>,
    /// Whether the work-item holds a lock.
    pub locked: bool,
    /// Whether kernels run as on a device.
    device: bool,
}

impl<'p> Frame<'p> {
    /// Creates a frame before anything has run; `failed` is `None` in host code.
    pub fn new(
        program: &'p ImpProgram,
        types: &'p PrimaryMap<Reg, RegData>,
        mems: usize,
        failed: Option<Option<Stop>>,
    ) -> Frame<'p> {
        Frame {
            program,
            types,
            regs: vec![None; types.len()],
            mems: vec![None; mems],
            failed,
            steps: 0,
            arena: 0,
            observed: None,
            locked: false,
            device: false,
        }
    }

    /// Returns the lanes of an operand; a constant fills `lanes` lanes.
    pub fn lanes(&self, x: Operand, lanes: usize) -> Result<Vec<Scalar>, Stop> {
        match x {
            Operand::Const(value) => Ok(vec![value; lanes]),
            Operand::Reg(reg) => self.regs[reg.index()].clone().ok_or_else(|| {
                Stop::Wrong(format!(
                    "register {} ({}) is read but was never set",
                    reg.index(),
                    self.types[reg].name
                ))
            }),
        }
    }

    /// Returns the number of lanes of a register.
    pub fn width(&self, reg: Reg) -> usize {
        usize::from(self.types[reg].ty.lanes)
    }

    /// Returns the scalar type of a register.
    pub fn scalar_type(&self, reg: Reg) -> ScalarType {
        self.types[reg].ty.scalar
    }

    /// Returns the number of lanes of an operand; 1 for a constant.
    pub fn operand_width(&self, x: Operand) -> usize {
        match x {
            Operand::Const(_) => 1,
            Operand::Reg(reg) => self.width(reg),
        }
    }

    /// Returns the value of a scalar operand.
    pub fn scalar(&self, x: Operand) -> Result<Scalar, Stop> {
        match self.lanes(x, 1)?[..] {
            [value] => Ok(value),
            _ => Err(Stop::Wrong("a vector where a scalar is wanted".to_string())),
        }
    }

    /// Returns the value of an integer operand.
    pub fn int(&self, x: Operand) -> Result<i64, Stop> {
        self.scalar(x)?.as_int().ok_or_else(|| Stop::Wrong("no integer where one is wanted".to_string()))
    }

    /// Returns the value of a `bool` operand.
    pub fn truth(&self, x: Operand) -> Result<bool, Stop> {
        let value = self.scalar(x)?;
        value.as_bool().ok_or_else(|| Stop::Wrong(format!("{value:?} where a bool is wanted")))
    }

    /// Sets a register; fails if the values have another type.
    pub fn set(&mut self, reg: Reg, values: Vec<Scalar>) -> Result<(), Stop> {
        let ty = self.types[reg].ty;
        if values.len() != usize::from(ty.lanes) || values.iter().any(|value| value.ty() != ty.scalar) {
            return Err(Stop::Wrong(format!(
                "register {} is set to something of another type",
                self.types[reg].name
            )));
        }
        self.regs[reg.index()] = Some(values);
        Ok(())
    }

    /// Returns the block that a memory holds.
    pub fn mem(&self, mem: Mem) -> Result<Block, Stop> {
        let held = self.mems[mem.index()].clone();
        held.ok_or_else(|| Stop::Wrong(format!("memory {} holds no block", mem.index())))
    }

    /// Runs a block until its end or until a scope is left.
    pub fn block(&mut self, block: &[Op]) -> Result<Flow, Stop> {
        for op in block {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(Stop::Wrong("the run does not end".to_string()));
            }
            if let Flow::Left(label) = self.op(op)? {
                return Ok(Flow::Left(label));
            }
        }
        Ok(Flow::On)
    }

    fn op(&mut self, op: &Op) -> Result<Flow, Stop> {
        match op {
            Op::If { cond, then_block, else_block } => {
                if self.truth(*cond)? {
                    self.block(then_block)
                } else {
                    self.block(else_block)
                }
            }
            Op::For { index, from, to, step, body } => self.counting_loop(*index, *from, *to, *step, body),
            Op::While { test, cond, body } => loop {
                if let left @ Flow::Left(_) = self.block(test)? {
                    return Ok(left);
                }
                if !self.truth(*cond)? {
                    return Ok(Flow::On);
                }
                if let left @ Flow::Left(_) = self.block(body)? {
                    return Ok(left);
                }
            },
            Op::Scope { label, body } => match self.block(body)? {
                Flow::Left(left) if left != *label => Ok(Flow::Left(left)),
                Flow::Left(_) | Flow::On => Ok(Flow::On),
            },
            Op::Leave { label } => Ok(Flow::Left(*label)),
            Op::Launch(launch) => self.launch(launch).map(|()| Flow::On),
            Op::Call { function, args, mem_args, results, mem_results, too_deep: _ } => {
                self.call(*function, args, mem_args, results, mem_results).map(|()| Flow::On)
            }
            simple @ ops!(
                value, lane, access, SetMem, arena, Fail, flag, group, Alloc, Release, Copy, Fill, Tuned,
                Threads
            ) => self.simple(simple).map(|()| Flow::On),
        }
    }

    fn counting_loop(
        &mut self,
        index: Reg,
        from: Operand,
        to: Operand,
        step: i64,
        body: &[Op],
    ) -> Result<Flow, Stop> {
        let (from, to, ty) = (self.int(from)?, self.int(to)?, self.scalar_type(index));
        let mut i = from;
        while i < to {
            self.set(index, vec![Scalar::int(ty, i)])?;
            if let left @ Flow::Left(_) = self.block(body)? {
                return Ok(left);
            }
            i += step;
        }
        Ok(Flow::On)
    }

    fn launch(&mut self, launch: &Launch) -> Result<(), Stop> {
        let extent = self.int(launch.extent)?;
        self.int(launch.cost)?;
        if self.device {
            return self.launch_on_device(launch, extent);
        }
        let kernel = &self.program.kernels[launch.kernel];
        let mut first: Option<Stop> = None;
        for (lo, hi) in parts(launch.schedule, extent, launch.align) {
            let mut frame = Frame::new(self.program, &kernel.regs, kernel.mems.len(), Some(None));
            self.pass_arguments(kernel, launch, &mut frame)?;
            frame.set(kernel.lo, vec![Scalar::I64(lo)])?;
            frame.set(kernel.hi, vec![Scalar::I64(hi)])?;
            frame.block(&kernel.body).map_err(|stop| in_kernel(kernel, stop))?;
            first = earlier(first, frame.failed.flatten());
        }
        first.map_or(Ok(()), Err)
    }

    /// Sets the parameters of a kernel.
    pub fn pass_arguments(&self, kernel: &Kernel, launch: &Launch, frame: &mut Frame) -> Result<(), Stop> {
        let (mut args, mut mems) = (launch.args.iter(), launch.mem_args.iter());
        for param in &kernel.params {
            match param {
                KernelParam::Scalar(reg) => {
                    let arg = args.next().ok_or_else(|| "too few arguments".to_string())?;
                    frame.set(*reg, vec![self.scalar(*arg)?])?;
                }
                KernelParam::Memory { mem, .. } => {
                    let arg = mems.next().ok_or_else(|| "too few memory arguments".to_string())?;
                    frame.mems[mem.index()] = Some(self.mem(*arg)?);
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        function: usize,
        args: &[Operand],
        mem_args: &[Mem],
        results: &[Reg],
        mem_results: &[Mem],
    ) -> Result<(), Stop> {
        let host = &self.program.functions[function];
        let mut frame = Frame::new(self.program, &host.regs, host.mems.len(), None);
        frame.device = self.device;
        let (mut args, mut mem_args) = (args.iter(), mem_args.iter());
        for param in &host.params {
            match param {
                HostParam::Scalar(reg) => {
                    let arg = args.next().ok_or_else(|| "too few arguments".to_string())?;
                    frame.set(*reg, vec![self.scalar(*arg)?])?;
                }
                HostParam::Array { mem, .. } => {
                    let arg = mem_args.next().ok_or_else(|| "too few memory arguments".to_string())?;
                    frame.mems[mem.index()] = Some(self.mem(*arg)?);
                }
            }
        }
        frame.block(&host.body)?;
        let (mut results, mut mem_results) = (results.iter(), mem_results.iter());
        for result in &host.results {
            match result {
                HostResult::Scalar(x) => {
                    if let Some(&reg) = results.next() {
                        self.set(reg, vec![frame.scalar(*x)?])?;
                    }
                }
                HostResult::Array { mem, .. } => {
                    if let Some(own) = mem_results.next() {
                        self.mems[own.index()] = Some(frame.mem(*mem)?);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Divides a range into tasks, in the order in which they run.
fn parts(schedule: Schedule, extent: i64, align: i64) -> Vec<(i64, i64)> {
    match schedule {
        _ if extent <= 0 => Vec::new(),
        Schedule::Sequential => vec![(0, extent)],
        Schedule::Ordered => (0..extent).map(|i| (i, i + 1)).collect(),
        Schedule::Static | Schedule::Dynamic => {
            let third = (extent / 3 / align * align).max(align);
            let mut parts: Vec<(i64, i64)> = (0..)
                .map(|i| (i * third, ((i + 1) * third).min(extent)))
                .take_while(|part| part.0 < extent)
                .collect();
            parts.reverse();
            parts
        }
    }
}

/// Returns the failure of the earlier iteration.
pub(super) fn earlier(x: Option<Stop>, y: Option<Stop>) -> Option<Stop> {
    match (x, y) {
        (Some(Stop::Check { iteration: i, check, values }), Some(Stop::Check { iteration: j, .. }))
            if i < j =>
        {
            Some(Stop::Check { check, iteration: i, values })
        }
        (x, None) => x,
        (_, y) => y,
    }
}

/// Adds the kernel's name to the message of a mistake.
pub(super) fn in_kernel(kernel: &Kernel, stop: Stop) -> Stop {
    match stop {
        Stop::Wrong(message) => Stop::Wrong(format!("kernel {}: {message}", kernel.name)),
        check @ Stop::Check { .. } => check,
    }
}
