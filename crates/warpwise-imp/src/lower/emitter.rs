//! The state of lowering one host function or kernel: code so far, and what core variables became.
//!
//! A kernel reads host variables by capturing them: the first use of one makes a kernel parameter
//! and a launch argument. Everything else lives in the tables of the [`Scope`].

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Limit, Span};
use warpwise_ir::entity::PrimaryMap;
use warpwise_ir::{Expr, Function, Operand as CoreOperand, Placement, Type, Var};
use warpwise_prim::{Scalar, ScalarType};

use crate::lower::code::Code;
use crate::lower::flat::FlatSpace;
use crate::lower::variance::{Known, Variance, Variances};
use crate::lower::{Scanning, Unfit};
use crate::op::Label;
use crate::program::{Check, CheckId, Group, Kernel, KernelId, KernelParam};
use crate::target::CpuTarget;
use crate::types::{ImpType, Mem, Operand, Reg, Space};

/// The result of lowering something.
pub(super) type Lowered<T> = Result<T, Unfit>;

/// What the whole lowering of one core function shares.
pub(super) struct Context<'a> {
    /// The function lowered.
    pub function: &'a Function,
    /// The machine lowered for.
    pub target: &'a CpuTarget,
    /// Whether kernels are for a device, one work-item an iteration; the target then has no vectors.
    pub device: bool,
    /// How scans go on a device.
    pub scanning: Scanning,
    /// The expression that binds each scalar variable bound by a statement of its own.
    pub definitions: FxHashMap<Var, &'a Expr>,
    /// The variables that are used at all.
    pub used: FxHashSet<Var>,
    /// Blocks allocated by host code that no other name in scope can stand for.
    pub unique_blocks: FxHashSet<Var>,
    /// The program's kernels.
    pub kernels: RefCell<PrimaryMap<KernelId, Kernel>>,
    /// The program's checks.
    pub checks: RefCell<PrimaryMap<CheckId, Check>>,
}

/// What a scalar core variable became.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    /// The same in all lanes: a scalar.
    Uniform(Operand),
    /// An integer that lane `l` has as `base + l * stride`.
    Linear {
        /// The first lane's.
        base: Operand,
        /// What it grows by.
        stride: i64,
    },
    /// A vector register.
    Varying(Reg),
}

/// What a block of memory became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockBinding {
    /// The memory.
    pub mem: Mem,
    /// One block for all lanes: element `e` of lane `l` lies at `e * lanes + l`.
    pub interleaved: bool,
}

/// What core variables became.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Scalars.
    pub values: FxHashMap<Var, Value>,
    /// Variables of type `mem`.
    pub blocks: FxHashMap<Var, BlockBinding>,
}

/// Which lanes run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mask {
    /// All of them.
    Full,
    /// The first `count`, at least one.
    Prefix {
        /// As a mask.
        mask: Reg,
        /// How many, `i64`.
        count: Operand,
    },
    /// Those of a mask, at least one.
    Some(Reg),
}

/// The lanes that code is being made for.
#[derive(Clone)]
pub(super) struct Lanes {
    /// How many; a power of two, at least 2.
    pub width: u16,
    /// Which of them run.
    pub mask: Mask,
    /// How values differ between them.
    pub facts: Rc<Variances>,
}

/// How far contiguous loads look ahead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ahead {
    /// To where the loop will come soon.
    Soon,
    /// So many elements, to where the task will come to when it is done with its block.
    Elements(Operand),
}

/// What to do where a check fails.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Failing {
    /// The flat iteration, of the first lane where lanes count on.
    pub iteration: Operand,
    /// Whether lane `l` is iteration `iteration + l`.
    pub per_lane: bool,
    /// The scope left by a failing iteration.
    pub exit: Label,
    /// Told how many lanes come before the failing one, so that they can be run again.
    pub retry: Option<Reg>,
    /// The lane, in code for one lane of a group.
    pub lane: Option<Reg>,
    /// Told that a check failed, for who looks after the lanes before the failing one have run again.
    pub failed: Option<Reg>,
}

impl Failing {
    /// Leaves `exit` as this iteration.
    pub fn of(iteration: Operand, exit: Label) -> Failing {
        Failing { iteration, per_lane: false, exit, retry: None, lane: None, failed: None }
    }
}

/// The work-items of a group, where all of them run the same code in step: what they compute is the same for all, and arrays
/// are made by all together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Together {
    /// The number of the work-item.
    pub item: Reg,
    /// The first iteration of the group's outer element.
    pub first: Operand,
    /// An `i32` in local memory that is set once a check has failed, where there are checks.
    pub failed: Option<Mem>,
}

/// An array in local memory with an element for each work-item, for one operation after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scratch {
    /// The memory.
    pub mem: Mem,
    /// The type of its elements.
    pub elem: ScalarType,
    /// Whether the operation under way uses it.
    pub taken: bool,
}

/// The lowering of one host function or kernel.
pub(super) struct Emitter<'a> {
    /// What is shared.
    pub cx: &'a Context<'a>,
    /// The code so far.
    pub code: Code,
    /// What variables became.
    pub scope: Scope,
    /// The lanes, inside a lane dimension.
    pub lanes: Option<Lanes>,
    /// What a failing check does; `None` in host code, which raises it at once.
    pub failing: Option<Failing>,
    /// The condition of a specialised choice, and whether the group of lanes knows that it holds in all of them.
    pub decided: Option<(Var, bool)>,
    /// The flat space that lanes go along, where they do not go along one dimension.
    pub flat: Option<FlatSpace>,
    /// Whether lane dimensions run one iteration at a time, because lanes could not.
    pub scalar_only: bool,
    /// Blocks that the loop to come begins with and nothing needs thereafter. Host code.
    pub begun_with: Vec<Mem>,
    /// Whether results are stored past the caches.
    pub streaming: bool,
    /// What contiguous loads ask the caches for besides, where much is read and little done with it.
    pub ahead: Option<Ahead>,
    /// Parts of a kernel's range should begin at multiples of this.
    pub align: i64,
    /// How the work-items of a device's kernel work together.
    pub group: Option<Group>,
    /// Who runs this code in step, in a kernel of groups.
    pub together: Option<Together>,
    /// What operations that work-items share use in turn; none where each has its own.
    pub scratch: Option<Vec<Scratch>>,
    /// The host's variables, for a kernel.
    outer: Option<&'a Scope>,
    /// The parameters of a kernel, so far.
    pub params: Vec<KernelParam>,
    /// The memories among them, in order.
    pub mem_params: Vec<Mem>,
    /// The host's values for the scalar parameters.
    pub args: Vec<Operand>,
    /// The host's memories for the others, with the core variable where there is one.
    pub mem_args: Vec<(Mem, Option<Var>)>,
    /// The host's arrays that a kernel works on.
    pub arrays: Vec<Var>,
    /// The places in the source of the statements of a kernel.
    pub places: BTreeSet<Span>,
    /// The place of the first statement of a kernel that computes an `f64`.
    pub doubles: Option<Span>,
}

impl<'a> Emitter<'a> {
    /// Starts a host function.
    pub fn host(cx: &'a Context<'a>) -> Emitter<'a> {
        Emitter::new(cx, None)
    }

    /// Starts a kernel that captures from `outer`.
    pub fn kernel(cx: &'a Context<'a>, outer: &'a Scope) -> Emitter<'a> {
        Emitter::new(cx, Some(outer))
    }

    fn new(cx: &'a Context<'a>, outer: Option<&'a Scope>) -> Emitter<'a> {
        Emitter {
            cx,
            code: Code::new(),
            scope: Scope::default(),
            lanes: None,
            failing: None,
            decided: None,
            flat: None,
            scalar_only: false,
            begun_with: Vec::new(),
            streaming: false,
            ahead: None,
            align: 1,
            group: None,
            together: None,
            scratch: None,
            outer,
            params: Vec::new(),
            mem_params: Vec::new(),
            args: Vec::new(),
            mem_args: Vec::new(),
            arrays: Vec::new(),
            places: BTreeSet::new(),
            doubles: None,
        }
    }

    /// Whether this is host code.
    pub fn is_host(&self) -> bool {
        self.outer.is_none()
    }

    /// Says that something is not supported.
    pub fn limit<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Limit(Limit { message: message.into(), span }))
    }

    /// Says that the code does not run in vector lanes.
    pub fn not_in_lanes<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Lanes(Limit { message: message.into(), span }))
    }

    /// Says that the work-items of a group do not share the code.
    pub fn not_shared<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Group(Limit { message: message.into(), span }))
    }

    /// Runs `f` with loads that look ahead in this way.
    pub fn with_ahead<T>(&mut self, ahead: Option<Ahead>, f: &mut dyn FnMut(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.ahead, ahead);
        let done = f(self);
        self.ahead = outer;
        done
    }

    /// Binds a scalar variable.
    pub fn bind(&mut self, var: Var, value: Value) {
        self.scope.values.insert(var, value);
    }

    /// Binds a variable to a scalar that is the same in all lanes.
    pub fn bind_uniform(&mut self, var: Var, x: impl Into<Operand>) {
        self.bind(var, Value::Uniform(x.into()));
    }

    /// What a scalar operand is here.
    pub fn value(&mut self, operand: impl Into<CoreOperand>) -> Value {
        let var = match operand.into() {
            CoreOperand::Const(value) => return Value::Uniform(Operand::Const(value)),
            CoreOperand::Var(var) => var,
        };
        if let Some(&value) = self.scope.values.get(&var) {
            return value;
        }
        let captured = self.capture(var);
        self.bind(var, captured);
        captured
    }

    /// A scalar operand that must be the same in all lanes.
    pub fn uniform(&mut self, operand: impl Into<CoreOperand>, span: Span) -> Lowered<Operand> {
        match self.value(operand) {
            Value::Uniform(x) => Ok(x),
            Value::Linear { .. } | Value::Varying(_) => {
                self.not_in_lanes(span, "a size or block that differs between vector lanes")
            }
        }
    }

    fn capture(&mut self, var: Var) -> Value {
        let outer = self.outer.and_then(|outer| outer.values.get(&var)).copied();
        let ty = self.cx.function.ty(var).as_scalar();
        match (outer, ty) {
            (Some(Value::Uniform(Operand::Const(value))), _) => Value::Uniform(Operand::Const(value)),
            (Some(Value::Uniform(arg)), Some(ty)) => {
                let name = self.cx.function.vars[var].name().to_string();
                Value::Uniform(self.scalar_param(&name, ty, arg).into())
            }
            // A certificate, or a variable the verifier would have refused.
            _ => Value::Uniform(Operand::Const(Scalar::zero(ty.unwrap_or(ScalarType::Bool)))),
        }
    }

    /// A fresh scalar parameter of the kernel, given `arg` by the launch.
    pub fn scalar_param(&mut self, name: &str, ty: ScalarType, arg: Operand) -> Reg {
        let reg = self.code.reg(name, ImpType::scalar(ty));
        self.params.push(KernelParam::Scalar(reg));
        self.args.push(arg);
        reg
    }

    /// A fresh memory parameter of the kernel, given `arg` by the launch.
    pub fn mem_param(&mut self, name: &str, arg: Mem, var: Option<Var>) -> Mem {
        let mem = self.code.mem(name, Space::Global);
        self.params.push(KernelParam::Memory { mem, noalias: false, read_only: false });
        self.mem_params.push(mem);
        self.mem_args.push((arg, var));
        mem
    }

    /// What a block is here.
    pub fn block(&mut self, var: Var, span: Span) -> Lowered<BlockBinding> {
        if let Some(&block) = self.scope.blocks.get(&var) {
            return Ok(block);
        }
        let Some(outer) = self.outer.and_then(|outer| outer.blocks.get(&var)).copied() else {
            return self.limit(span, "an array without a block of memory");
        };
        let known = self.mem_args.iter().position(|(arg, _)| *arg == outer.mem);
        let mem = match known {
            Some(position) => self.mem_params[position],
            None => {
                let name = self.cx.function.vars[var].name().to_string();
                self.mem_param(&name, outer.mem, Some(var))
            }
        };
        let binding = BlockBinding { mem, interleaved: false };
        self.scope.blocks.insert(var, binding);
        Ok(binding)
    }

    /// Notes that a kernel works on an array, if it is one that the host knows to the last stride.
    pub fn note_array(&mut self, array: Var, placement: &Placement) {
        let Some(outer) = self.outer else { return };
        let is_known = |operand: CoreOperand| match operand {
            CoreOperand::Const(_) => true,
            CoreOperand::Var(var) => matches!(outer.values.get(&var), Some(Value::Uniform(_))),
        };
        let dims = placement.index_fn.dims.iter();
        if outer.blocks.contains_key(&placement.block)
            && is_known(placement.index_fn.offset)
            && dims.flat_map(|dim| [dim.extent, dim.stride]).all(is_known)
            && !self.arrays.contains(&array)
        {
            self.arrays.push(array);
        }
    }

    /// Where an array lies.
    pub fn placement(&self, array: Var, span: Span) -> Lowered<&'a Placement> {
        match &self.cx.function.vars[array].placement {
            Some(placement) => Ok(placement),
            None => self.limit(span, "an array without a placement in memory"),
        }
    }

    /// The element type of an array, or the type of a scalar.
    pub fn elem(&self, var: Var) -> ScalarType {
        self.cx.function.ty(var).elem().unwrap_or(ScalarType::Bool)
    }

    /// Whether a variable is an array.
    pub fn is_array(&self, var: Var) -> bool {
        matches!(self.cx.function.ty(var), Type::Array(_))
    }

    /// Lanes of vectors made here; 1 outside lanes.
    pub fn width(&self) -> u16 {
        self.lanes.as_ref().map_or(1, |lanes| lanes.width)
    }

    /// Which lanes run.
    pub fn mask(&self) -> Mask {
        self.lanes.as_ref().map_or(Mask::Full, |lanes| lanes.mask)
    }

    /// The mask as operations take it.
    pub fn mask_operand(&self) -> Option<Operand> {
        match self.mask() {
            Mask::Full => None,
            Mask::Prefix { mask, .. } | Mask::Some(mask) => Some(mask.into()),
        }
    }

    /// Runs `inner` under another mask.
    pub fn with_mask<T>(&mut self, mask: Mask, inner: impl FnOnce(&mut Self) -> T) -> T {
        let Some(lanes) = &mut self.lanes else { return inner(self) };
        let saved = std::mem::replace(&mut lanes.mask, mask);
        let result = inner(self);
        if let Some(lanes) = &mut self.lanes {
            lanes.mask = saved;
        }
        result
    }

    /// How a variable differs between lanes, by analysis; uniform outside lanes.
    pub fn variance(&self, var: Var) -> Variance {
        self.lanes.as_ref().map_or(Variance::Uniform, |lanes| lanes.facts.variance(var))
    }

    /// The scalar type of a value.
    pub fn scalar_type(&self, value: Value) -> ScalarType {
        match value {
            Value::Uniform(x) | Value::Linear { base: x, .. } => self.code.ty(x).scalar,
            Value::Varying(reg) => self.code.regs[reg].ty.scalar,
        }
    }
}

impl Value {
    /// A scalar constant.
    pub fn constant(value: Scalar) -> Value {
        Value::Uniform(Operand::Const(value))
    }

    /// How it differs between lanes.
    pub fn variance(self) -> Variance {
        match self {
            Value::Uniform(_) => Variance::Uniform,
            Value::Linear { stride, .. } => Variance::Linear(stride),
            Value::Varying(_) => Variance::Varying,
        }
    }

    /// What the transfer functions want to know.
    pub fn known(self) -> Known {
        let constant = match self {
            Value::Uniform(Operand::Const(value)) => value.as_int(),
            Value::Uniform(Operand::Reg(_)) | Value::Linear { .. } | Value::Varying(_) => None,
        };
        Known { variance: self.variance(), constant }
    }

    /// The scalar that linear and uniform values start from.
    pub fn base(self) -> Option<Operand> {
        match self {
            Value::Uniform(x) | Value::Linear { base: x, .. } => Some(x),
            Value::Varying(_) => None,
        }
    }
}
