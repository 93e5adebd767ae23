//! Registers, memories and their types.

use serde::{Deserialize, Serialize};
use warpwise_diag::Span;
use warpwise_ir::entity;
use warpwise_prim::{Scalar, ScalarType};

entity!(
    /// A mutable register of one function or kernel.
    Reg
);

entity!(
    /// A memory of one function or kernel: a pointer that can be set.
    Mem
);

/// A scalar (`lanes` = 1) or a SIMD vector. Vectors may be wider than those of the machine: the back end splits them, which keeps
/// several machine vectors in flight. A mask is a vector of `bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ImpType {
    /// Type of one lane.
    pub scalar: ScalarType,
    /// Number of lanes; a power of two.
    pub lanes: u16,
}

/// An input of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant; where a vector is wanted, it fills all lanes.
    Const(Scalar),
}

/// Properties of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegData {
    /// Type of its value.
    pub ty: ImpType,
    /// Hint for printing.
    pub name: String,
}

/// Properties of a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemData {
    /// Address space.
    pub space: Space,
    /// Hint for printing.
    pub name: String,
    /// Source position of the value that it is allocated for.
    pub span: Span,
}

impl MemData {
    /// Returns a memory without a source position.
    pub fn new(space: Space, name: &str) -> MemData {
        MemData { space, name: name.to_string(), span: Span::NONE }
    }
}

/// The address space of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// A block in the device's main memory, allocated by the host.
    Global,
    /// The arena of the task that allocates it.
    Arena,
    /// GPU: shared by a work-group.
    Local,
}

/// A strided view for copies of whole arrays: element `[i, j, ...]` lies at `offset + i*s0 + j*s1 + ...` in `mem`, in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StridedView {
    /// The viewed memory.
    pub mem: Mem,
    /// Position of the first element.
    pub offset: Operand,
    /// Distance between neighbours along each dimension, in elements, outermost first.
    pub strides: Vec<Operand>,
}

impl ImpType {
    /// Returns the type of one value.
    pub fn scalar(scalar: ScalarType) -> ImpType {
        ImpType { scalar, lanes: 1 }
    }

    /// Returns the type of a vector of `lanes` values.
    pub fn vector(scalar: ScalarType, lanes: u16) -> ImpType {
        ImpType { scalar, lanes }
    }

    /// Returns whether the type has more than one lane.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }
}

impl Operand {
    /// Returns an `i64` constant.
    pub fn i64(value: i64) -> Operand {
        Operand::Const(Scalar::I64(value))
    }

    /// Returns the value of an integer constant, and `None` for everything else.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Operand::Const(value) => value.as_int(),
            Operand::Reg(_) => None,
        }
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<Scalar> for Operand {
    fn from(value: Scalar) -> Operand {
        Operand::Const(value)
    }
}
