//! Host code: allocations, copies, calls of other host functions, and launches, each against what it calls or launches.

use warpwise_prim::ScalarType;

use super::{Checked, Code, ensure, head};
use crate::op::Op;
use crate::ops;
use crate::program::{HostFunction, HostParam, HostResult, KernelParam, Launch};
use crate::types::{ImpType, Mem, Operand, Reg};

impl Code<'_> {
    pub(super) fn host_op(&self, op: &Op) -> Checked {
        match op {
            Op::Alloc { dst, bytes } => {
                self.mem(*dst)?;
                self.int(*bytes)
            }
            Op::Release { mem } => self.mem(*mem),
            Op::Launch(launch) => self.launch(launch),
            Op::Copy { elem: _, shape, dst, src } => {
                self.all_int(shape)?;
                self.view(dst, shape.len())?;
                self.view(src, shape.len())
            }
            Op::Fill { mem, index, count, value, elem } => {
                self.mem(*mem)?;
                self.all_int(&[*index, *count])?;
                self.is(*value, ImpType::scalar(*elem))
            }
            Op::Tuned { dst, .. } | Op::Threads { dst } => {
                self.is((*dst).into(), ImpType::scalar(ScalarType::I64))
            }
            Op::Call { function, args, mem_args, results, mem_results, too_deep: _ } => {
                let callee =
                    self.program.functions.get(*function).ok_or_else(|| "no such function".to_string())?;
                self.arguments_fit(callee, args, mem_args)?;
                self.results_fit(callee, results, mem_results)
            }
            other @ ops!(value, lane, access, SetMem, arena, control, Fail, flag, group) => {
                Err(format!("{} is no operation of host code", head(other)))
            }
        }
    }

    fn arguments_fit(&self, callee: &HostFunction, args: &[Operand], mem_args: &[Mem]) -> Checked {
        let scalars: Vec<Reg> = callee.params.iter().filter_map(HostParam::scalar).collect();
        let fits = scalars.len() == args.len() && callee.params.len() - scalars.len() == mem_args.len();
        ensure(fits, || format!("arguments that do not fit {}", callee.name))?;
        for (&x, param) in args.iter().zip(scalars) {
            self.is(x, callee.regs[param].ty)?;
        }
        mem_args.iter().try_for_each(|&mem| self.mem(mem))
    }

    fn results_fit(&self, callee: &HostFunction, results: &[Reg], mem_results: &[Mem]) -> Checked {
        let scalars: Vec<Operand> = callee.results.iter().filter_map(HostResult::scalar).collect();
        let fits =
            scalars.len() == results.len() && callee.results.len() - scalars.len() == mem_results.len();
        ensure(fits, || format!("results that do not fit {}", callee.name))?;
        for (&dst, result) in results.iter().zip(scalars) {
            let ty = match result {
                Operand::Reg(reg) => callee.regs[reg].ty,
                Operand::Const(value) => ImpType::scalar(value.ty()),
            };
            self.is(dst.into(), ty)?;
        }
        mem_results.iter().try_for_each(|&mem| self.mem(mem))
    }

    fn launch(&self, launch: &Launch) -> Checked {
        let kernel = self.program.kernels.get(launch.kernel).ok_or_else(|| "no such kernel".to_string())?;
        self.all_int(&[launch.extent, launch.cost])?;
        for array in &launch.arrays {
            self.all_int(&array.shape)?;
            self.all_int(&array.view.strides)?;
            self.int(array.view.offset)?;
            let is_given = launch.mem_args.contains(&array.view.mem);
            ensure(is_given, || "an array in a memory that the kernel is not given".to_string())?;
        }
        ensure(launch.align >= 1, || "an alignment below 1".to_string())?;
        let (mut args, mut mems) = (launch.args.iter(), launch.mem_args.iter());
        for param in &kernel.params {
            match param {
                KernelParam::Scalar(reg) => {
                    let arg = args.next().ok_or_else(|| "too few arguments".to_string())?;
                    self.is(*arg, kernel.regs[*reg].ty)?;
                }
                KernelParam::Memory { .. } => {
                    self.mem(*mems.next().ok_or_else(|| "too few memories".to_string())?)?;
                }
            }
        }
        ensure(args.next().is_none() && mems.next().is_none(), || "too many arguments".to_string())
    }
}
