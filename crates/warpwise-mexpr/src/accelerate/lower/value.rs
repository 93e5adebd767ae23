//! Values during lowering: their representation in the core IR.
//!
//! A value is a layout and its leaves. A scalar has one leaf, a record those of its fields, and a sequence an array for each leaf
//! of an element: records become components, and sequences of sequences become arrays of two dimensions. Lengths stand in the
//! layout. Functions have no leaves: the function is always known, with the arguments it has so far. The buffer of a tensor's
//! view is known; the start and the extents of the view are its leaves. If sequences in sequences may have different lengths,
//! they are [`Layout::Rows`] of a pool.

use std::rc::Rc;

use warpwise_ir::{Operand, Type};
use warpwise_prim::ScalarType;

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::syntax::names::Symbol;
use crate::tree::{TypeVar, VarId};

/// A value during lowering.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Data(Data),
    Function(Function),
}

/// A value that exists at run time.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Data {
    pub(super) layout: Layout,
    pub(super) leaves: Vec<Operand>,
}

/// The structure of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Layout {
    Scalar(ScalarType),
    /// A record; labels in order.
    Record(Vec<(Symbol, Layout)>),
    /// A sequence: its length, and the layout of an element.
    Seq(Operand, Box<Layout>),
    /// A sequence inside the element of a sequence, with its own length: a part of a pool of this many elements of this layout.
    /// Its leaves are its start, its length, and the leaves of the pool, which all elements of the surrounding sequence share.
    Rows(Operand, Box<Layout>),
    Tensor(View),
}

/// A view of a buffer while lowering.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct View {
    pub(super) buffer: usize,
    /// Number of leading dimensions of the buffer's tensor that are fixed at an index.
    pub(super) fixed: usize,
    pub(super) kind: ViewKind,
}

/// The kind of a view, which determines its leaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ViewKind {
    /// A view of a tensor of this rank that fills its buffer. Leaves: the index in each fixed dimension, then start and length in
    /// the next dimension, if there is one; the view covers the remaining dimensions completely.
    Shaped(usize),
    /// A view of a buffer without dimensions. Leaves: the offset, the rank, and this many extents; those beyond the rank are 1.
    Flat(usize),
}

impl ViewKind {
    pub(super) fn n_leaves(self, fixed: usize) -> usize {
        match self {
            ViewKind::Shaped(rank) if fixed == rank => fixed,
            ViewKind::Shaped(_) => fixed + 2,
            ViewKind::Flat(dimensions) => 2 + dimensions,
        }
    }
}

/// A function applied to its first arguments.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: FunctionName,
    /// The shapes of its type variables.
    pub(super) with: Rc<Vec<(TypeVar, Shape)>>,
    pub(super) arguments: Vec<Value>,
}

/// The name of a function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum FunctionName {
    Defined(VarId),
    Builtin(Builtin),
    /// Text of the array language: its number, and its number of arguments.
    Text(usize, usize),
}

/// A type without type variables.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    Scalar(ScalarType),
    Record(Vec<(Symbol, Shape)>),
    Seq(Box<Shape>),
    Arrow(Box<Shape>, Box<Shape>),
    Tensor(Box<Shape>),
    /// A type whose values are not inspected.
    Unknown,
}

impl Data {
    pub(super) fn scalar(ty: ScalarType, operand: impl Into<Operand>) -> Data {
        Data { layout: Layout::Scalar(ty), leaves: vec![operand.into()] }
    }

    pub(super) fn int(operand: impl Into<Operand>) -> Data {
        Data::scalar(ScalarType::I64, operand)
    }

    pub(super) fn bool(operand: impl Into<Operand>) -> Data {
        Data::scalar(ScalarType::Bool, operand)
    }

    pub(super) fn record(mut fields: Vec<(Symbol, Data)>) -> Data {
        fields.sort_by_key(|(label, _)| *label);
        let layout = fields.iter().map(|(label, value)| (*label, value.layout.clone())).collect();
        let leaves = fields.into_iter().flat_map(|(_, value)| value.leaves).collect();
        Data { layout: Layout::Record(layout), leaves }
    }

    /// Returns the fields of a record.
    pub(super) fn fields(&self) -> Vec<(Symbol, Data)> {
        let Layout::Record(fields) = &self.layout else { return Vec::new() };
        let mut start = 0;
        let take = |(label, layout): &(Symbol, Layout)| {
            let end = start + layout.n_leaves();
            let leaves = self.leaves[start..end].to_vec();
            start = end;
            (*label, Data { layout: layout.clone(), leaves })
        };
        fields.iter().map(take).collect()
    }
}

impl Layout {
    pub(super) fn n_leaves(&self) -> usize {
        match self {
            Layout::Scalar(_) => 1,
            Layout::Record(fields) => fields.iter().map(|(_, layout)| layout.n_leaves()).sum(),
            Layout::Seq(_, element) => element.n_leaves(),
            Layout::Rows(_, element) => 2 + element.n_leaves(),
            Layout::Tensor(view) => view.kind.n_leaves(view.fixed),
        }
    }

    /// Returns the types of the leaves.
    pub(super) fn types(&self) -> Vec<Type> {
        self.types_within(&[])
    }

    /// Returns the types of the leaves inside sequences of these lengths.
    fn types_within(&self, around: &[Operand]) -> Vec<Type> {
        let of = |ty: ScalarType| Type::Scalar(ty).array_of(around);
        match self {
            Layout::Scalar(ty) => vec![of(*ty)],
            Layout::Record(fields) => {
                fields.iter().flat_map(|(_, layout)| layout.types_within(around)).collect()
            }
            Layout::Seq(length, element) => element.types_within(&[around, &[*length]].concat()),
            Layout::Rows(total, element) => {
                let pool = element.types_within(&[*total]);
                [of(ScalarType::I64), of(ScalarType::I64)].into_iter().chain(pool).collect()
            }
            Layout::Tensor(_) => vec![of(ScalarType::I64); self.n_leaves()],
        }
    }

    /// Returns for each leaf of an element whether it belongs to a pool, which all elements share.
    pub(super) fn pooled(&self) -> Vec<bool> {
        match self {
            Layout::Scalar(_) | Layout::Tensor(_) => vec![false; self.n_leaves()],
            Layout::Record(fields) => fields.iter().flat_map(|(_, layout)| layout.pooled()).collect(),
            Layout::Seq(_, element) => element.pooled(),
            Layout::Rows(_, element) => {
                [false, false].into_iter().chain(vec![true; element.n_leaves()]).collect()
            }
        }
    }

    /// Returns the layout with sequences in sequences as rows of pools.
    pub(super) fn with_rows(&self) -> Layout {
        self.with_rows_within(false)
    }

    fn with_rows_within(&self, is_inside: bool) -> Layout {
        match self {
            Layout::Scalar(_) | Layout::Tensor(_) => self.clone(),
            Layout::Record(fields) => Layout::Record(
                fields.iter().map(|(label, layout)| (*label, layout.with_rows_within(is_inside))).collect(),
            ),
            Layout::Seq(length, element) | Layout::Rows(length, element) => {
                let element = Box::new(element.with_rows_within(true));
                if is_inside { Layout::Rows(*length, element) } else { Layout::Seq(*length, element) }
            }
        }
    }

    /// Returns all lengths, and sizes of pools, outer ones first.
    pub(super) fn lengths(&self) -> Vec<Operand> {
        match self {
            Layout::Scalar(_) | Layout::Tensor(_) => Vec::new(),
            Layout::Record(fields) => fields.iter().flat_map(|(_, layout)| layout.lengths()).collect(),
            Layout::Seq(length, element) | Layout::Rows(length, element) => {
                std::iter::once(*length).chain(element.lengths()).collect()
            }
        }
    }

    /// Returns the layout with other lengths.
    pub(super) fn with_lengths(&self, lengths: &mut impl Iterator<Item = Operand>) -> Layout {
        match self {
            Layout::Scalar(_) | Layout::Tensor(_) => self.clone(),
            Layout::Record(fields) => Layout::Record(
                fields.iter().map(|(label, layout)| (*label, layout.with_lengths(lengths))).collect(),
            ),
            Layout::Seq(length, element) => {
                let length = lengths.next().unwrap_or(*length);
                Layout::Seq(length, Box::new(element.with_lengths(lengths)))
            }
            Layout::Rows(total, element) => {
                let total = lengths.next().unwrap_or(*total);
                Layout::Rows(total, Box::new(element.with_lengths(lengths)))
            }
        }
    }

    /// Returns whether values of both layouts are arrays that differ in lengths only: there are no rows of pools, and no tensors.
    pub(super) fn is_like(&self, other: &Layout) -> bool {
        match (self, other) {
            (Layout::Scalar(ty), Layout::Scalar(other)) => ty == other,
            (Layout::Record(fields), Layout::Record(others)) => {
                fields.len() == others.len()
                    && fields.iter().zip(others).all(|((_, field), (_, other))| field.is_like(other))
            }
            (Layout::Seq(_, element), Layout::Seq(_, other)) => element.is_like(other),
            (
                Layout::Scalar(_)
                | Layout::Record(_)
                | Layout::Seq(..)
                | Layout::Rows(..)
                | Layout::Tensor(_),
                _,
            ) => false,
        }
    }

    pub(super) fn has_sequences(&self) -> bool {
        !self.lengths().is_empty()
    }
}

impl Shape {
    /// Returns the shape of a type, with its variables replaced.
    pub(super) fn of(types: &Types, ty: Ty, with: &[(TypeVar, Shape)]) -> Shape {
        match types.node(ty) {
            Node::Bool => Shape::Scalar(ScalarType::Bool),
            Node::Int => Shape::Scalar(ScalarType::I64),
            Node::Float => Shape::Scalar(ScalarType::F64),
            Node::Char => Shape::Scalar(ScalarType::I32),
            Node::Seq(element) => Shape::Seq(Box::new(Shape::of(types, *element, with))),
            Node::Record(fields) => Shape::Record(
                fields.iter().map(|(label, ty)| (*label, Shape::of(types, *ty, with))).collect(),
            ),
            Node::Arrow(from, to) => {
                Shape::Arrow(Box::new(Shape::of(types, *from, with)), Box::new(Shape::of(types, *to, with)))
            }
            Node::Var(var) => {
                with.iter().find(|(other, _)| other == var).map_or(Shape::Unknown, |(_, shape)| shape.clone())
            }
            Node::All(_, inner) => Shape::of(types, *inner, with),
            Node::Tensor(element) => Shape::Tensor(Box::new(Shape::of(types, *element, with))),
            Node::Named(..) | Node::Apply(..) | Node::Meta(_) => Shape::Unknown,
        }
    }

    /// Finds the shapes of type variables that turn a general type into this shape.
    pub(super) fn solve(&self, types: &Types, general: Ty, found: &mut Vec<(TypeVar, Shape)>) {
        match (types.node(general), self) {
            (Node::All(_, inner), _) => self.solve(types, *inner, found),
            (Node::Var(var), _) if !found.iter().any(|(other, _)| other == var) => {
                found.push((*var, self.clone()));
            }
            (Node::Seq(general), Shape::Seq(element)) | (Node::Tensor(general), Shape::Tensor(element)) => {
                element.solve(types, *general, found)
            }
            (Node::Arrow(from, to), Shape::Arrow(own_from, own_to)) => {
                own_from.solve(types, *from, found);
                own_to.solve(types, *to, found);
            }
            (Node::Record(general), Shape::Record(fields)) => {
                for ((_, general), (_, field)) in general.iter().zip(fields) {
                    field.solve(types, *general, found);
                }
            }
            _ => {}
        }
    }

    /// Returns the layout of a value of this type in which all sequences are empty; functions have none.
    pub(super) fn empty(&self) -> Layout {
        match self {
            Shape::Scalar(ty) => Layout::Scalar(*ty),
            Shape::Record(fields) => {
                let mut fields: Vec<_> =
                    fields.iter().map(|(label, shape)| (*label, shape.empty())).collect();
                fields.sort_by_key(|(label, _)| *label);
                Layout::Record(fields)
            }
            Shape::Seq(element) => Layout::Seq(Operand::i64(0), Box::new(element.empty())),
            Shape::Arrow(..) | Shape::Tensor(_) | Shape::Unknown => Layout::Record(Vec::new()),
        }
    }
}
