//! Runs the host functions of a program, with its kernels on a device.

use std::rc::Rc;

use warpwise_gpu::failure::{FailedCheck, no_failure, read_failure};
use warpwise_gpu::kernel_text::{Dialect, kernel_text};
use warpwise_imp::{HostFunction, HostParam, HostResult, ImpProgram, KernelParam, Launch, Op, Operand, Reg};
use warpwise_interp::{ArrayValue, Value};
use warpwise_ir::entity::Entity;
use warpwise_prim::{Scalar, ScalarType};

use crate::device::{Arg, Built, Device, Memory};

/// A running host function.
struct Host<'a> {
    program: &'a ImpProgram,
    function: &'a HostFunction,
    device: &'a Device,
    built: Built,
    regs: Vec<Option<Scalar>>,
    mems: Vec<Option<Rc<Memory>>>,
}

/// Runs the function `main`.
pub fn run(device: &Device, program: &ImpProgram, args: &[Value]) -> Result<Vec<Value>, FailedCheck> {
    let text = kernel_text(program.kernels.values(), Dialect::OpenCl).expect("kernels that can be printed");
    let function = program.functions.iter().find(|f| f.name == "main").expect("a function `main`");
    let regs = vec![None; function.regs.len()];
    let mems = vec![None; function.mems.len()];
    let mut host = Host { program, function, device, built: device.build(text), regs, mems };
    for (param, arg) in function.params.iter().zip(args) {
        match (param, arg) {
            (HostParam::Scalar(reg), Value::Scalar(value)) => host.regs[reg.index()] = Some(*value),
            (HostParam::Array { mem, .. }, Value::Array(array)) => {
                host.mems[mem.index()] = Some(Rc::new(device.memory(&to_bytes(&array.data))));
            }
            _ => panic!("an argument of the wrong kind"),
        }
    }
    host.block(&function.body)?;
    Ok(function.results.iter().map(|result| host.result(result)).collect())
}

impl Host<'_> {
    fn value(&self, x: Operand) -> Scalar {
        match x {
            Operand::Const(value) => value,
            Operand::Reg(reg) => self.regs[reg.index()].expect("a register that is set"),
        }
    }

    fn int(&self, x: Operand) -> i64 {
        self.value(x).as_int().expect("an integer")
    }

    fn ty(&self, reg: Reg) -> ScalarType {
        self.function.regs[reg].ty.scalar
    }

    fn block(&mut self, block: &[Op]) -> Result<(), FailedCheck> {
        for op in block {
            match op {
                Op::Move { dst, x } => self.regs[dst.index()] = Some(self.value(*x)),
                Op::Unary { dst, op, x } => self.regs[dst.index()] = Some(op.eval(self.value(*x))),
                Op::Binary { dst, op, x, y } => {
                    self.regs[dst.index()] = op.eval(self.value(*x), self.value(*y));
                }
                Op::Compare { dst, op, x, y } => {
                    self.regs[dst.index()] = Some(op.eval(self.value(*x), self.value(*y)).into());
                }
                Op::Convert { dst, op, x, .. } => {
                    self.regs[dst.index()] = Some(op.eval(self.value(*x), self.ty(*dst)));
                }
                Op::Select { dst, cond, x, y } => {
                    let chosen = if self.value(*cond) == true.into() { x } else { y };
                    self.regs[dst.index()] = Some(self.value(*chosen));
                }
                Op::If { cond, then_block, else_block } => {
                    let taken = if self.value(*cond) == true.into() { then_block } else { else_block };
                    self.block(taken)?;
                }
                Op::Alloc { dst, bytes } => {
                    let garbage = vec![0xA5; self.int(*bytes) as usize];
                    self.mems[dst.index()] = Some(Rc::new(self.device.memory(&garbage)));
                }
                Op::Release { mem } => self.mems[mem.index()] = None,
                Op::SetMem { dst, src } => self.mems[dst.index()] = self.mems[src.index()].clone(),
                Op::Launch(launch) => self.launch(launch)?,
                op => panic!("host code that these tests do not run: {op:?}"),
            }
        }
        Ok(())
    }

    fn launch(&mut self, launch: &Launch) -> Result<(), FailedCheck> {
        let extent = self.int(launch.extent);
        if extent <= 0 {
            return Ok(());
        }
        let blocks: Vec<Rc<Memory>> =
            launch.mem_args.iter().map(|mem| self.mems[mem.index()].clone().expect("a block")).collect();
        let (mut scalars, mut memories) = (launch.args.iter(), blocks.iter());
        let params = &self.program.kernels[launch.kernel].params;
        let args: Vec<Arg> = params
            .iter()
            .map(|param| match param {
                KernelParam::Scalar(_) => Arg::Scalar(self.value(*scalars.next().expect("an argument"))),
                KernelParam::Memory { .. } => Arg::Memory(memories.next().expect("a memory")),
            })
            .collect();
        let words = no_failure(self.program);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let failure = self.device.memory(&bytes);
        self.device.launch(&self.built, launch.kernel.index(), &args, extent as usize, Some(&failure));
        let bytes = self.device.read(&failure, bytes.len());
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect();
        read_failure(self.program, &words).map_or(Ok(()), Err)
    }

    fn result(&self, result: &HostResult) -> Value {
        match result {
            HostResult::Scalar(x) => Value::Scalar(self.value(*x)),
            HostResult::Array { mem, elem, shape } => {
                let shape: Vec<usize> = shape.iter().map(|&size| self.int(size) as usize).collect();
                let count: usize = shape.iter().product();
                let memory = self.mems[mem.index()].as_ref().expect("a block");
                let bytes = self.device.read(memory, count * elem.bytes());
                Value::Array(ArrayValue::new(*elem, shape, from_bytes(*elem, &bytes)))
            }
        }
    }
}

/// Scalars as they lie in memory.
pub fn to_bytes(values: &[Scalar]) -> Vec<u8> {
    let bytes = |value: &Scalar| value.to_bits().to_le_bytes()[..value.ty().bytes()].to_vec();
    values.iter().flat_map(bytes).collect()
}

/// What lies in memory as scalars.
pub fn from_bytes(elem: ScalarType, bytes: &[u8]) -> Vec<Scalar> {
    let value = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(elem, u64::from_le_bytes(word))
    };
    bytes.chunks_exact(elem.bytes()).map(value).collect()
}
