//! The graph of operations that `Exp` and `Acc` handles refer to.
//!
//! Every surface operation makes a [`Node`] that refers to its operands, so a value that a Rust program shares is one node with
//! several users, and lowering computes it once. Rust types the surface; nodes carry their types as data ([`Ty`]), and [`check`]
//! rejects an ill-typed node where it is made.
//!
//! Node numbers grow with time. A function's parameters are made when its closure begins. So a node with a smaller number was
//! made before the function, and a node with a larger one inside it or after it: lowering relies on this to place statements
//! where the program wrote them.
//!
//! Absent: any evaluation or rewriting; [`crate::lower`] gives nodes their meaning.

mod check;
mod forget;
mod form;
mod table;

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, TernaryOp, UnaryOp, ValueType};

use crate::array::RawArray;
use crate::foreign::Native;

pub(crate) use check::node;
pub(crate) use form::{Form, fingerprint};
pub(crate) use table::{Expression, find, register, scope};

/// A shared node.
pub type Ref = Rc<Node>;

/// Types of an element's components.
pub type Components = SmallVec<[ValueType; 4]>;

/// An operation with its operands.
pub struct Node {
    /// Unique in the process, growing with time within a thread.
    pub id: u64,
    /// The operation.
    pub op: Op,
    /// The operands.
    pub inputs: Vec<Ref>,
    /// The scalar functions (for loops over arrays: array functions) that the operation applies.
    pub functions: Vec<Function>,
    /// Type of the result.
    pub ty: Ty,
    /// Place in the Rust program that made the node.
    pub place: &'static Location<'static>,
}

/// A function: parameters and the node that computes the result from them.
#[derive(Clone)]
pub struct Function {
    /// Nodes with [`Op::Parameter`].
    pub params: Vec<Ref>,
    /// The result.
    pub result: Ref,
}

/// Type of a node's result: one scalar expression, one array, or (choices and loops of arrays) several arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A scalar expression of these components.
    Scalars(Components),
    /// Arrays, each of elements of these components.
    Arrays(SmallVec<[ArrayTy; 1]>),
}

/// Type of an array, stored as one array per component of its elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayTy {
    /// Number of dimensions; an array of rank 0 holds one element.
    pub rank: usize,
    /// Types of the element's components.
    pub components: Components,
}

/// Selection along one dimension of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// Fixed at the next index operand; the dimension disappears.
    Fixed,
    /// All indices.
    All,
    /// A range: the next operands are its start and its length.
    Range,
    /// Every n-th index of a range: the next operands are its start, its length and the step n.
    Strided,
    /// All indices, in reverse order.
    Reversed,
}

/// Operation of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// A parameter of a function or of the whole program.
    Parameter,
    /// An array of the host.
    Use(RawArray),
    /// An error; lowering reports the first one.
    Invalid(String),

    /// Constants, one per component.
    Constant(Vec<Scalar>),
    /// Concatenation of the operands' components.
    Join,
    /// A slice of the operand's components: starts at this one, and is as long as the type says.
    Part(usize),
    /// An operator of one operand.
    Unary(UnaryOp),
    /// An operator of two operands; integer divisions check their divisor.
    Binary(BinaryOp),
    /// An operator of three operands.
    Ternary(TernaryOp),
    /// A comparison.
    Compare(CompareOp),
    /// A conversion.
    Convert(ConvertOp),
    /// `[code point]`: the character; checked to be one.
    Character,
    /// `[condition, then, else]`, of scalars or arrays: only the chosen operand is computed.
    Choose,
    /// `[initial values...]`, functions: the loop condition, the next values. Of scalars or arrays.
    While,
    /// `[array, index]`: an element; bounds are checked unless `in_bounds` is set.
    At {
        /// Whether the index lies in the array by construction.
        in_bounds: bool,
    },
    /// `[array]`: the extents of an array, outermost first.
    Extents,

    /// `[arrays...]`: all arrays, as one node of several arrays.
    Gather,
    /// `[node of several arrays]`: the array at this position.
    Group(usize),
    /// `[element]`: an array of rank 0.
    Unit,
    /// `[extents]`, function from index to element.
    Generate,
    /// `[arrays...]`, function of their elements at one index, over the intersection of the extents. If `indexed`, the index is
    /// the function's first argument.
    Map {
        /// Whether the function takes the index.
        indexed: bool,
        /// Whether the extents are checked to be equal.
        equal: bool,
    },
    /// `[extents, array]`, function from new index to old.
    Backpermute,
    /// `[extents, array]`: the same elements in row-major order.
    Reshape,
    /// `[array]`: the same elements as a vector.
    Flatten,
    /// `[array, operands of the axes...]`: a selection along each dimension.
    Slice(Vec<Axis>),
    /// `[array]`: dimension `i` of the result is dimension `perm[i]` of the array.
    Transpose(Vec<usize>),
    /// `[array, extents of the new dimensions...]`: `true` for a dimension of the array, `false` for a new one.
    Replicate(Vec<bool>),
    /// `[array, initial?]`, function: folds the innermost dimension.
    Fold(Fold),
    /// `[array, initial?]`, function: folds all dimensions in row-major order.
    FoldAll(Fold),
    /// `[array, initial?]`, function: scans the innermost dimension.
    Scan {
        /// Whether a result excludes the input at its own position.
        exclusive: bool,
        /// Kind of the initial value.
        fold: Fold,
    },
    /// `[array, starts, lengths, initial?]`, function: folds segments of the innermost dimension.
    FoldSegments,
    /// `[defaults, source]`, functions: the combination, and the destination (whether and where) of a source index.
    Permute,
    /// `[defaults, source]`, function from a source index to its destination (whether and where): the last value written wins.
    Scatter,
    /// `[array]`, function: the elements of a vector that satisfy it.
    Filter,
    /// `[array, array]`: joined along the innermost dimension, over the intersection of the others.
    Concat,
    /// `[arguments, fallback]`: a function of the host, for one kind of device; other devices compute the fallback.
    Foreign(Native),
    /// `[components of the sources..., captured values...]`: a function of arrays, applied to all parts of arrays.
    #[cfg(feature = "seq")]
    Parts(Rc<crate::seq::PartsOf>),
    /// `[array]`: computed as an array, never fused.
    Compute,
}

/// Kind of a fold's initial value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// No initial value: the fold starts with the first element.
    First,
    /// Any value, combined once.
    Initial,
    /// A neutral element, as declared by the program.
    Neutral,
}

impl Ty {
    /// Returns the number of program values that represent a node of this type.
    pub fn width(&self) -> usize {
        match self {
            Ty::Scalars(components) => components.len(),
            Ty::Arrays(arrays) => arrays.iter().map(|array| array.components.len()).sum(),
        }
    }

    /// Returns the components of a scalar expression.
    pub fn scalars(&self) -> Option<&Components> {
        match self {
            Ty::Scalars(components) => Some(components),
            Ty::Arrays(_) => None,
        }
    }

    /// Returns the type of the array, if there is exactly one.
    pub fn array(&self) -> Option<&ArrayTy> {
        match self {
            Ty::Arrays(arrays) if arrays.len() == 1 => arrays.first(),
            Ty::Arrays(_) | Ty::Scalars(_) => None,
        }
    }

    /// Returns the type of one array.
    pub fn of_array(rank: usize, components: Components) -> Ty {
        Ty::Arrays(SmallVec::from_iter([ArrayTy { rank, components }]))
    }

    /// Returns the type of one truth value.
    pub fn bool() -> Ty {
        Ty::Scalars(SmallVec::from_slice(&[ValueType::Bool]))
    }

    /// Returns the type of an index.
    pub fn index(rank: usize) -> Ty {
        Ty::Scalars(SmallVec::from_elem(ValueType::I64, rank))
    }
}

impl Node {
    /// Returns whether the node yields arrays rather than scalars.
    pub fn is_array(&self) -> bool {
        matches!(self.ty, Ty::Arrays(_))
    }

    /// Returns the referenced nodes: operands, and the parameters and results of functions.
    pub fn references(&self) -> impl Iterator<Item = &Ref> {
        let of_functions = self.functions.iter().flat_map(|f| f.params.iter().chain([&f.result]));
        self.inputs.iter().chain(of_functions)
    }
}

/// Drops long chains iteratively, without recursion.
impl Drop for Node {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.inputs);
        let functions = std::mem::take(&mut self.functions);
        pending.extend(functions.into_iter().flat_map(|f| f.params.into_iter().chain([f.result])));
        while let Some(reference) = pending.pop() {
            if let Some(mut node) = Rc::into_inner(reference) {
                pending.append(&mut node.inputs);
                let functions = std::mem::take(&mut node.functions);
                pending.extend(functions.into_iter().flat_map(|f| f.params.into_iter().chain([f.result])));
            }
        }
    }
}

/// Returns the next node number of this thread.
fn fresh_id() -> u64 {
    /// Number of ids reserved for each thread.
    const IDS_PER_THREAD: u64 = 1 << 40;
    static THREADS: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NEXT: Cell<u64> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) * IDS_PER_THREAD);
    }
    NEXT.with(|next| {
        next.set(next.get() + 1);
        next.get()
    })
}

/// Makes a node that stands for an error.
pub(crate) fn invalid(message: impl Into<String>, ty: Ty, place: &'static Location<'static>) -> Ref {
    let (inputs, functions) = (Vec::new(), Vec::new());
    Rc::new(Node { id: fresh_id(), op: Op::Invalid(message.into()), inputs, functions, ty, place })
}

/// Makes a parameter of a function that was created at this place.
pub(crate) fn parameter(ty: Ty, place: &'static Location<'static>) -> Ref {
    let (inputs, functions) = (Vec::new(), Vec::new());
    Rc::new(Node { id: fresh_id(), op: Op::Parameter, inputs, functions, ty, place })
}
