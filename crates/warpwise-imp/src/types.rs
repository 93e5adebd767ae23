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

/// A scalar (`lanes` = 1) or a SIMD vector. Vectors may be wider than the machine's: the back end
/// splits them, which is how several machine vectors are kept in flight. A mask is a vector of `bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ImpType {
    /// Type of one lane.
    pub scalar: ScalarType,
    /// Number of lanes; a power of two.
    pub lanes: u16,
}

/// What an operation reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant; where a vector is wanted, the same in all lanes.
    Const(Scalar),
}

/// What is known about a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegData {
    /// Its type.
    pub ty: ImpType,
    /// A hint for printing.
    pub name: String,
}

/// What is known about a memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemData {
    /// Where it lies.
    pub space: Space,
    /// A hint for printing.
    pub name: String,
    /// What it is allocated for.
    pub span: Span,
}

impl MemData {
    /// A memory that comes from nowhere in particular.
    pub fn new(space: Space, name: &str) -> MemData {
        MemData { space, name: name.to_string(), span: Span::NONE }
    }
}

/// Where a memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// A block of the device's main memory, allocated by the host.
    Global,
    /// The arena of the task that allocates it.
    Arena,
    /// GPU: shared by a work-group.
    Local,
}

/// A strided view for whole-array copies: element `[i, j, ...]` lies `offset + i*s0 + j*s1 + ...` elements into `mem`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StridedView {
    /// The memory.
    pub mem: Mem,
    /// Place of the first element.
    pub offset: Operand,
    /// Distance between neighbours per dimension, in elements, outermost first.
    pub strides: Vec<Operand>,
}

impl ImpType {
    /// One value.
    pub fn scalar(scalar: ScalarType) -> ImpType {
        ImpType { scalar, lanes: 1 }
    }

    /// `lanes` values side by side.
    pub fn vector(scalar: ScalarType, lanes: u16) -> ImpType {
        ImpType { scalar, lanes }
    }

    /// Whether this has more than one lane.
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }
}

impl Operand {
    /// An `i64` constant.
    pub fn i64(value: i64) -> Operand {
        Operand::Const(Scalar::I64(value))
    }

    /// The value of an integer constant.
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
