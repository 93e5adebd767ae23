//! The state of lowering one host function or kernel: the code so far, and the translation of core variables.
//!
//! A kernel captures the host variables that it reads: the first use of one creates a kernel parameter and a launch argument. All
//! other variables are in the tables of the [`Scope`].

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

/// The data shared by the whole lowering of one core function.
pub(super) struct Context<'a> {
    /// The core function.
    pub function: &'a Function,
    /// The target machine.
    pub target: &'a CpuTarget,
    /// Whether kernels are for a device, where each iteration is a work-item; the target then has no vectors.
    pub device: bool,
    /// Method for scans on a device.
    pub scanning: Scanning,
    /// Defining expressions of the scalar variables that are bound by a statement of their own.
    pub definitions: FxHashMap<Var, &'a Expr>,
    /// Variables that are used at all.
    pub used: FxHashSet<Var>,
    /// Blocks allocated by host code to which no other name in scope can refer.
    pub unique_blocks: FxHashSet<Var>,
    /// The program's kernels.
    pub kernels: RefCell<PrimaryMap<KernelId, Kernel>>,
    /// The program's checks.
    pub checks: RefCell<PrimaryMap<CheckId, Check>>,
}

/// The translation of a scalar core variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    /// A scalar that is the same in all lanes.
    Uniform(Operand),
    /// An integer whose value in lane `l` is `base + l * stride`.
    Linear {
        /// Value of the first lane.
        base: Operand,
        /// Step from lane to lane.
        stride: i64,
    },
    /// A vector register.
    Varying(Reg),
}

/// The translation of a block of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockBinding {
    /// The memory.
    pub mem: Mem,
    /// Whether one block serves all lanes: element `e` of lane `l` then lies at `e * lanes + l`.
    pub interleaved: bool,
}

impl BlockBinding {
    /// The block of a memory whose elements lie side by side.
    pub fn of(mem: Mem) -> BlockBinding {
        BlockBinding { mem, interleaved: false }
    }
}

/// The translations of core variables.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Scalars.
    pub values: FxHashMap<Var, Value>,
    /// Variables of type `mem`.
    pub blocks: FxHashMap<Var, BlockBinding>,
}

/// The set of lanes that run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mask {
    /// All lanes.
    Full,
    /// The first `count` lanes, at least one.
    Prefix {
        /// Mask of these lanes.
        mask: Reg,
        /// Number of these lanes, `i64`.
        count: Operand,
    },
    /// The lanes of a mask, at least one.
    Some(Reg),
}

/// The lanes for which code is emitted.
#[derive(Clone)]
pub(super) struct Lanes {
    /// Number of lanes; a power of two, at least 2.
    pub width: u16,
    /// Lanes that run.
    pub mask: Mask,
    /// Variances of variables across the lanes.
    pub facts: Rc<Variances>,
}

/// The prefetch distance of contiguous loads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ahead {
    /// To elements that the loop will reach soon.
    Soon,
    /// By this number of elements, to where the task will continue after its block.
    Elements(Operand),
}

/// The action where a check fails.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Failing {
    /// Flat iteration; that of the first lane if `per_lane`.
    pub iteration: Operand,
    /// Whether lane `l` runs iteration `iteration + l`.
    pub per_lane: bool,
    /// Scope that a failing iteration leaves.
    pub exit: Label,
    /// Register for the number of lanes before the failing one, which are then run again.
    pub retry: Option<Reg>,
    /// Index of the lane, in code for one lane of a group.
    pub lane: Option<Reg>,
    /// Register that is set when a check has failed, and read after the lanes before the failing one have run again.
    pub failed: Option<Reg>,
}

impl Failing {
    /// Returns the action that leaves `exit` in this iteration.
    pub fn of(iteration: Operand, exit: Label) -> Failing {
        Failing { iteration, per_lane: false, exit, retry: None, lane: None, failed: None }
    }
}

/// The work-items of a group where all of them run the same code in step: they compute the same values and fill arrays together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Together {
    /// Index of the work-item in its group.
    pub item: Reg,
    /// First iteration of the group's outer element.
    pub first: Operand,
    /// An `i32` in local memory that is set once a check has failed, if there are checks.
    pub failed: Option<Mem>,
}

/// An array in local memory with one element for each work-item, reused by one operation after another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scratch {
    /// The memory.
    pub mem: Mem,
    /// Element type.
    pub elem: ScalarType,
    /// Whether the current operation uses it.
    pub taken: bool,
}

/// The lowering of one host function or kernel.
pub(super) struct Emitter<'a> {
    /// Shared data of the lowering.
    pub cx: &'a Context<'a>,
    /// Code so far.
    pub code: Code,
    /// Translations of core variables.
    pub scope: Scope,
    /// Current lanes, inside a lane dimension.
    pub lanes: Option<Lanes>,
    /// Action of a failing check; `None` in host code, which raises the failure at once.
    pub failing: Option<Failing>,
    /// Condition of a specialised choice, and whether it is known to hold in all lanes of the group.
    pub decided: Option<(Var, bool)>,
    /// Flat space that the lanes run along, where they do not run along one dimension.
    pub flat: Option<FlatSpace>,
    /// Whether lane dimensions run one iteration at a time, because their code does not run in lanes.
    pub scalar_only: bool,
    /// Blocks that the next loop starts from and that nothing needs afterwards. Host code.
    pub begun_with: Vec<Mem>,
    /// Whether stores of results bypass the caches.
    pub streaming: bool,
    /// Prefetch distance of contiguous loads, in code that reads much and computes little.
    pub ahead: Option<Ahead>,
    /// Preferred multiple at which tasks of the kernel's range begin.
    pub align: i64,
    /// Work-group of a device's kernel.
    pub group: Option<Group>,
    /// Work-items that run this code in step, in a kernel of groups.
    pub together: Option<Together>,
    /// Local arrays that shared operations use in turn; `None` where each has its own.
    pub scratch: Option<Vec<Scratch>>,
    /// Variables of the host, for a kernel.
    outer: Option<&'a Scope>,
    /// Parameters of a kernel so far.
    pub params: Vec<KernelParam>,
    /// Memories among the parameters, in order.
    pub mem_params: Vec<Mem>,
    /// Host values for the scalar parameters.
    pub args: Vec<Operand>,
    /// Host memories for the memory parameters, with their core variables if there are any.
    pub mem_args: Vec<(Mem, Option<Var>)>,
    /// Host arrays that a kernel accesses.
    pub arrays: Vec<Var>,
    /// Source positions of the statements of a kernel.
    pub places: BTreeSet<Span>,
    /// Source position of the first statement of a kernel that computes an `f64`.
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

    /// Returns whether this is host code.
    pub fn is_host(&self) -> bool {
        self.outer.is_none()
    }

    /// Returns the error that something is not supported.
    pub fn limit<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Limit(Limit { message: message.into(), span }))
    }

    /// Returns the error that the code does not run in vector lanes.
    pub fn not_in_lanes<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Lanes(Limit { message: message.into(), span }))
    }

    /// Returns the error that the work-items of a group cannot share the code.
    pub fn not_shared<T>(&self, span: Span, message: impl Into<String>) -> Lowered<T> {
        Err(Unfit::Group(Limit { message: message.into(), span }))
    }

    /// Runs `f` with this prefetch distance.
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

    /// Returns the translation of a scalar operand, capturing it if necessary.
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

    /// Returns the translation of a scalar operand that must be the same in all lanes.
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
            // A certificate, or a variable that the verifier would have rejected.
            _ => Value::Uniform(Operand::Const(Scalar::zero(ty.unwrap_or(ScalarType::Bool)))),
        }
    }

    /// Adds a scalar parameter to the kernel; the launch passes `arg`.
    pub fn scalar_param(&mut self, name: &str, ty: ScalarType, arg: Operand) -> Reg {
        let reg = self.code.reg(name, ImpType::scalar(ty));
        self.params.push(KernelParam::Scalar(reg));
        self.args.push(arg);
        reg
    }

    /// Adds a memory parameter to the kernel; the launch passes `arg`.
    pub fn mem_param(&mut self, name: &str, arg: Mem, var: Option<Var>) -> Mem {
        let mem = self.code.mem(name, Space::Global);
        self.params.push(KernelParam::Memory { mem, noalias: false, read_only: false });
        self.mem_params.push(mem);
        self.mem_args.push((arg, var));
        mem
    }

    /// Returns the translation of a block, capturing it if necessary.
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
        let binding = BlockBinding::of(mem);
        self.scope.blocks.insert(var, binding);
        Ok(binding)
    }

    /// Records that a kernel accesses an array, if the host knows its placement completely, strides included.
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

    /// Returns the placement of an array.
    pub fn placement(&self, array: Var, span: Span) -> Lowered<&'a Placement> {
        match &self.cx.function.vars[array].placement {
            Some(placement) => Ok(placement),
            None => self.limit(span, "an array without a placement in memory"),
        }
    }

    /// Returns the element type of an array, or the type of a scalar.
    pub fn elem(&self, var: Var) -> ScalarType {
        self.cx.function.ty(var).elem().unwrap_or(ScalarType::Bool)
    }

    /// Returns whether a variable is an array.
    pub fn is_array(&self, var: Var) -> bool {
        matches!(self.cx.function.ty(var), Type::Array(_))
    }

    /// Returns the number of lanes of vectors created here; 1 outside lanes.
    pub fn width(&self) -> u16 {
        self.lanes.as_ref().map_or(1, |lanes| lanes.width)
    }

    /// Returns the set of lanes that run.
    pub fn mask(&self) -> Mask {
        self.lanes.as_ref().map_or(Mask::Full, |lanes| lanes.mask)
    }

    /// Returns the mask in the form that operations take.
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

    /// Returns the variance of a variable according to the analysis; uniform outside lanes.
    pub fn variance(&self, var: Var) -> Variance {
        self.lanes.as_ref().map_or(Variance::Uniform, |lanes| lanes.facts.variance(var))
    }

    /// Returns the scalar type of a value.
    pub fn scalar_type(&self, value: Value) -> ScalarType {
        match value {
            Value::Uniform(x) | Value::Linear { base: x, .. } => self.code.ty(x).scalar,
            Value::Varying(reg) => self.code.regs[reg].ty.scalar,
        }
    }
}

impl Value {
    /// Returns a scalar constant.
    pub fn constant(value: Scalar) -> Value {
        Value::Uniform(Operand::Const(value))
    }

    /// Returns the variance of this value.
    pub fn variance(self) -> Variance {
        match self {
            Value::Uniform(_) => Variance::Uniform,
            Value::Linear { stride, .. } => Variance::Linear(stride),
            Value::Varying(_) => Variance::Varying,
        }
    }

    /// Returns what the transfer functions need to know about this value.
    pub fn known(self) -> Known {
        let constant = match self {
            Value::Uniform(Operand::Const(value)) => value.as_int(),
            Value::Uniform(Operand::Reg(_)) | Value::Linear { .. } | Value::Varying(_) => None,
        };
        Known { variance: self.variance(), constant }
    }

    /// Returns the scalar from which a linear or uniform value starts.
    pub fn base(self) -> Option<Operand> {
        match self {
            Value::Uniform(x) | Value::Linear { base: x, .. } => Some(x),
            Value::Varying(_) => None,
        }
    }
}
