//! The graph of handles: what `Exp` and `Acc` stand for.
//!
//! Every operation of the surface makes a [`Node`] that knows its operands by reference, so what a Rust program
//! shares is one node with several users, and lowering computes it once. The surface is typed by Rust; nodes carry
//! their types as data ([`Ty`]), and [`check`] refuses an ill-typed node where it is made.
//!
//! Node numbers grow with time. A function's parameters are made when its closure begins, so a node with a smaller
//! number was made before the function, and a node with a larger one inside it or after it: lowering relies on this to
//! put things where they were written.
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

/// The types of the components that an element is made of.
pub type Components = SmallVec<[ValueType; 4]>;

/// An operation with its operands.
pub struct Node {
    /// Unique in the process, growing with time within a thread.
    pub id: u64,
    /// What it does.
    pub op: Op,
    /// Its operands.
    pub inputs: Vec<Ref>,
    /// The scalar functions (for loops over arrays: array functions) it applies.
    pub functions: Vec<Function>,
    /// What it yields.
    pub ty: Ty,
    /// Where the program made it.
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

/// What a node yields: one scalar expression, one array, or (choices and loops of arrays) several arrays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// A scalar expression of these components.
    Scalars(Components),
    /// Arrays, each of elements of these components.
    Arrays(SmallVec<[ArrayTy; 1]>),
}

/// The type of an array of elements, stored as an array per component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayTy {
    /// Number of dimensions; an array of rank 0 holds one element.
    pub rank: usize,
    /// The element's components.
    pub components: Components,
}

/// How the dimensions of an array are seen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Axis {
    /// Fixed at the next index operand; the dimension disappears.
    Fixed,
    /// All of it.
    All,
    /// A range: the next operands are its start and its length.
    Range,
    /// Every so many indices of a range: the next operands are its start, its length and the step.
    Strided,
    /// Backwards.
    Reversed,
}

/// What a node does.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// A variable: of a function, or of the whole program.
    Parameter,
    /// An array of the host.
    Use(RawArray),
    /// Something is wrong; lowering reports the first.
    Invalid(String),

    /// Constants, one per component.
    Constant(Vec<Scalar>),
    /// The operands' components in a row.
    Join,
    /// Components from this one on, as many as the type says.
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
    /// `[condition, then, else]`, of scalars or arrays: only what is chosen is computed.
    Choose,
    /// `[first values...]`, functions: whether to go on, the next values. Of scalars or arrays.
    While,
    /// `[array, index]`: an element; checked unless said to be in bounds.
    At {
        /// Whether the index lies in the array by construction.
        in_bounds: bool,
    },
    /// `[array]`: the extents of an array, outermost first.
    Extents,

    /// `[arrays...]`: all of them.
    Gather,
    /// `[several arrays]`: one of them.
    Group(usize),
    /// `[element]`: an array of rank 0.
    Unit,
    /// `[extents]`, function from index to element.
    Generate,
    /// `[arrays...]`, function of their elements at one index (which comes first if `indexed`); over the
    /// intersection of the extents.
    Map {
        /// Whether the function takes the index.
        indexed: bool,
    },
    /// `[extents, array]`, function from new index to old.
    Backpermute,
    /// `[extents, array]`: the same elements in row-major order.
    Reshape,
    /// `[array]`: the same elements as a vector.
    Flatten,
    /// `[array, operands of the axes...]`: parts of dimensions.
    Slice(Vec<Axis>),
    /// `[array]`: dimension `i` of the result is dimension `perm[i]` of the array.
    Transpose(Vec<usize>),
    /// `[array, extents of the new dimensions...]`: `true` for a dimension of the array, `false` for a new one.
    Replicate(Vec<bool>),
    /// `[array, initial?]`, function: the innermost dimension folded.
    Fold(Fold),
    /// `[array, initial?]`, function: all dimensions folded, in row-major order.
    FoldAll(Fold),
    /// `[array, initial?]`, function: the innermost dimension scanned.
    Scan {
        /// Whether an element leaves out its own input.
        exclusive: bool,
        /// What the initial value is.
        fold: Fold,
    },
    /// `[array, starts, lengths]`, function: folds of segments of the innermost dimension, from the initial value on.
    FoldSegments,
    /// `[defaults, source]`, functions: combination, from the source's index to whether and where.
    Permute,
    /// `[defaults, source]`, function from the source's index to whether and where: the last value counts.
    Scatter,
    /// `[array]`, function: the elements of a vector that satisfy it.
    Filter,
    /// `[array, array]`: joined along the innermost dimension, over the intersection of the others.
    Concat,
    /// `[arguments, what is done elsewhere]`: a function of the host, for one kind of device.
    Foreign(Native),
    /// `[what sources are made of..., what is used from outside...]`: a function of arrays for all parts of arrays.
    #[cfg(feature = "seq")]
    Parts(Rc<crate::seq::PartsOf>),
    /// `[array]`: computed, and not part of anything else.
    Compute,
}

/// What the initial value of a fold is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// There is none: the first element is.
    First,
    /// Any value, combined once.
    Initial,
    /// Neutral, as the program declares.
    Neutral,
}

impl Ty {
    /// The components of a scalar expression.
    pub fn scalars(&self) -> Option<&Components> {
        match self {
            Ty::Scalars(components) => Some(components),
            Ty::Arrays(_) => None,
        }
    }

    /// The one array.
    pub fn array(&self) -> Option<&ArrayTy> {
        match self {
            Ty::Arrays(arrays) if arrays.len() == 1 => arrays.first(),
            Ty::Arrays(_) | Ty::Scalars(_) => None,
        }
    }

    /// The type of one array.
    pub fn of_array(rank: usize, components: Components) -> Ty {
        Ty::Arrays(SmallVec::from_iter([ArrayTy { rank, components }]))
    }

    /// The type of one truth value.
    pub fn bool() -> Ty {
        Ty::Scalars(SmallVec::from_slice(&[ValueType::Bool]))
    }

    /// The type of an index.
    pub fn index(rank: usize) -> Ty {
        Ty::Scalars(SmallVec::from_elem(ValueType::I64, rank))
    }
}

impl Node {
    /// Whether this is about arrays rather than scalars.
    pub fn is_array(&self) -> bool {
        matches!(self.ty, Ty::Arrays(_))
    }

    /// The operands, parameters and results it refers to.
    pub fn references(&self) -> impl Iterator<Item = &Ref> {
        let of_functions = self.functions.iter().flat_map(|f| f.params.iter().chain([&f.result]));
        self.inputs.iter().chain(of_functions)
    }
}

/// Long chains are taken apart one link after the other.
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

/// The next node number of this thread.
fn fresh_id() -> u64 {
    /// Threads count in ranges of their own.
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

/// A node that stands for a mistake.
pub(crate) fn invalid(message: impl Into<String>, ty: Ty, place: &'static Location<'static>) -> Ref {
    let (inputs, functions) = (Vec::new(), Vec::new());
    Rc::new(Node { id: fresh_id(), op: Op::Invalid(message.into()), inputs, functions, ty, place })
}

/// A variable of a function that was made at this place.
pub(crate) fn parameter(ty: Ty, place: &'static Location<'static>) -> Ref {
    let (inputs, functions) = (Vec::new(), Vec::new());
    Rc::new(Node { id: fresh_id(), op: Op::Parameter, inputs, functions, ty, place })
}
