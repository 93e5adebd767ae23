//! Views: arrays that show elements of another array at other indices.
//!
//! A view of a stored array is a `slice`, `rearrange` or `reshape`; for a delayed array, the view transforms the index.

use std::rc::Rc;

use warpwise_ir::{Expr, Operand, Shape, SliceDim, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use super::delayed::Delayed;
use super::{ArrayValue, Lowering, Value, internal, one};
use crate::error::Error;
use crate::graph::{Axis, Op, Ref};

/// A mapping from indices of a view to indices of the viewed array.
#[derive(Clone)]
pub(super) enum View {
    /// The selection along every dimension of the viewed array.
    Slice(Vec<Part>),
    /// Dimension `i` of the view is dimension `perm[i]` of the viewed array.
    Transpose(Vec<usize>),
    /// Whether each dimension of the view is one of the viewed array; the array repeats along the others.
    Replicate(Vec<bool>),
}

/// Selection of a slice along one dimension.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// One index, checked by the certificate.
    Fixed(Operand, Option<Var>),
    /// `len` indices from `start` on, `stride` apart.
    Range { start: Operand, len: Operand, stride: Operand },
}

/// Maps an index through a chain of views, outermost first. Also returns the certificates on which the result depends.
pub(super) fn source_index(
    lowering: &mut Lowering<'_>,
    views: &[View],
    index: &[Operand],
) -> (Vec<Operand>, Vec<Var>) {
    let (mut index, mut certs) = (index.to_vec(), Vec::new());
    for view in views {
        index = match view {
            View::Transpose(perm) => {
                let mut source = index.clone();
                for (&from, &at) in perm.iter().zip(&index) {
                    source[from] = at;
                }
                source
            }
            View::Replicate(kept) => {
                index.iter().zip(kept).filter(|(_, kept)| **kept).map(|(at, _)| *at).collect()
            }
            View::Slice(parts) => {
                let mut given = index.iter();
                let mut source = Vec::with_capacity(parts.len());
                for part in parts {
                    source.push(part.place(lowering, &mut given, &mut certs));
                }
                source
            }
        };
    }
    (index, certs)
}

impl Part {
    fn place(
        &self,
        lowering: &mut Lowering<'_>,
        given: &mut std::slice::Iter<'_, Operand>,
        certs: &mut Vec<Var>,
    ) -> Operand {
        match self {
            Part::Fixed(at, cert) => {
                certs.extend(*cert);
                *at
            }
            Part::Range { start, stride, .. } => {
                let at = given.next().copied().unwrap_or(Operand::i64(0));
                let number = |operand: &Operand| operand.as_const().and_then(|value| value.as_int());
                let from_start = match number(stride) {
                    Some(-1) => return lowering.b.binary("i", BinaryOp::Sub, *start, at),
                    Some(1) => at,
                    Some(_) | None => lowering.b.binary("i", BinaryOp::Mul, at, *stride),
                };
                match number(start) {
                    Some(0) => from_start,
                    Some(_) | None => lowering.b.binary("i", BinaryOp::Add, *start, from_start),
                }
            }
        }
    }
}

impl Lowering<'_> {
    pub(super) fn view(&mut self, node: &Ref) -> Result<Value, Error> {
        match &node.op {
            Op::Reshape => {
                let shape = self.extents(node, &node.inputs[0])?;
                self.reshape(node, &node.inputs[1], shape, None)
            }
            Op::Flatten => {
                let extents = self.array(&node.inputs[0])?.shape;
                let (size, certs) = self.elements(node, &extents);
                self.reshape(node, &node.inputs[0], vec![size], Some(certs))
            }
            Op::Transpose(perm) => {
                let source = self.array(&node.inputs[0])?;
                let shape = perm.iter().map(|at| source.shape[*at]).collect();
                let elements = self.seen(&source.elements, &View::Transpose(perm.clone()));
                self.produced(node, ArrayValue { shape, elements })
            }
            Op::Slice(axes) => self.slice(node, axes),
            Op::Replicate(kept) => {
                let source = self.computed(&node.inputs[0])?;
                let added: Vec<bool> = kept.iter().map(|kept| !kept).collect();
                let mut given = Vec::new();
                for input in &node.inputs[1..] {
                    given.extend(self.extents(node, input)?);
                }
                let (mut given, mut own) = (given.into_iter(), source.shape.iter().copied());
                let size = |added: &bool| if *added { given.next() } else { own.next() };
                let shape = added.iter().filter_map(size).collect();
                let elements = self.seen(&source.elements, &View::Replicate(kept.clone()));
                self.produced(node, ArrayValue { shape, elements })
            }
            _ => Err(internal(node, "no view")),
        }
    }

    fn slice(&mut self, node: &Ref, axes: &[Axis]) -> Result<Value, Error> {
        let source = self.array(&node.inputs[0])?;
        let mut given = node.inputs[1..].iter();
        let (mut parts, mut shape) = (Vec::new(), Vec::new());
        for (axis, &extent) in axes.iter().zip(&source.shape) {
            let mut operand = |lowering: &Self| match given.next() {
                Some(input) => Ok(lowering.scalars(input)?[0]),
                None => Err(internal(node, "an operand is missing")),
            };
            let part = match axis {
                Axis::Fixed => {
                    let at = operand(self)?;
                    Part::Fixed(at, self.check_index(node, &[at], &[extent]))
                }
                Axis::All => Part::Range { start: 0.into(), len: extent, stride: 1.into() },
                Axis::Reversed => {
                    let start = self.b.binary("last", BinaryOp::Sub, extent, 1);
                    Part::Range { start, len: extent, stride: (-1).into() }
                }
                Axis::Range => Part::Range { start: operand(self)?, len: operand(self)?, stride: 1.into() },
                Axis::Strided => {
                    Part::Range { start: operand(self)?, len: operand(self)?, stride: operand(self)? }
                }
            };
            if let Part::Range { len, .. } = part {
                shape.push(len);
            }
            parts.push(part);
        }
        let elements = self.seen(&source.elements, &View::Slice(parts));
        self.produced(node, ArrayValue { shape, elements })
    }

    /// Reshapes an array in row-major order. The certificates guarantee the number of elements.
    fn reshape(
        &mut self,
        node: &Ref,
        source: &Ref,
        shape: Vec<Operand>,
        fits: Option<Vec<Var>>,
    ) -> Result<Value, Error> {
        let source = self.computed(source)?;
        let certs = match fits {
            Some(certs) => certs,
            None => {
                let (old, mut certs) = self.elements(node, &source.shape);
                let (new, fits) = self.elements(node, &shape);
                certs.extend(fits);
                let holds = self.b.compare("ok", CompareOp::Eq, old, new);
                certs.push(self.check(node, holds, "a reshape of {} elements to {}", &[old, new]));
                certs
            }
        };
        let Delayed::Stored(columns) = &source.elements else { return Err(internal(node, "not computed")) };
        let mut reshaped = Vec::with_capacity(columns.len());
        for &column in columns {
            let array = self.cut(column, &source.shape);
            reshaped.push(self.reshaped(array, &shape, &certs));
        }
        Ok(one(ArrayValue { shape, elements: Delayed::Stored(reshaped) }))
    }

    pub(super) fn reshaped(&mut self, array: Operand, shape: &[Operand], certs: &[Var]) -> Operand {
        let is_array = array.as_var().is_some_and(|var| self.b.function.ty(var).rank() > 0);
        self.b.with_certs(certs, |b| {
            let var = match array.as_var() {
                Some(var) if is_array => var,
                Some(_) | None => b.bind_one("single", Expr::ArrayLit(vec![array])),
            };
            if shape.is_empty() {
                let rank = b.function.ty(var).rank();
                return b.index("x", var, &vec![Operand::i64(0); rank]).into();
            }
            b.bind_one("xs", Expr::Reshape { array: var, shape: Shape::from_slice(shape) }).into()
        })
    }

    /// Applies a view to elements.
    fn seen(&mut self, elements: &Delayed, view: &View) -> Delayed {
        let further = |views: &Rc<[View]>| [view.clone()].into_iter().chain(views.iter().cloned()).collect();
        match elements {
            Delayed::Stored(columns) => match view {
                View::Replicate(_) => {
                    Delayed::At { columns: columns.clone(), views: Rc::from([view.clone()]) }
                }
                View::Slice(_) | View::Transpose(_) => {
                    Delayed::Stored(columns.iter().map(|column| self.seen_column(*column, view)).collect())
                }
            },
            Delayed::Map { node, index, inputs } => Delayed::Map {
                node: node.clone(),
                index: index.as_ref().map(further),
                inputs: inputs.iter().map(|input| self.seen(input, view)).collect(),
            },
            Delayed::At { columns, views } => Delayed::At { columns: columns.clone(), views: further(views) },
            Delayed::Gather { node, views, source } => {
                Delayed::Gather { node: node.clone(), views: further(views), source: source.clone() }
            }
        }
    }

    /// Applies a view to a stored array.
    fn seen_column(&mut self, column: Operand, view: &View) -> Operand {
        let Some(array) = column.as_var() else { return column };
        match view {
            View::Transpose(perm) => {
                self.b.bind_one("xs", Expr::Rearrange { array, perm: perm.clone() }).into()
            }
            View::Slice(parts) => {
                let mut certs = Vec::new();
                let dim = |part: &Part| match part {
                    Part::Fixed(at, cert) => {
                        certs.extend(*cert);
                        SliceDim::Fix(*at)
                    }
                    Part::Range { start, len, stride } => {
                        SliceDim::Range { start: *start, len: *len, stride: *stride }
                    }
                };
                let dims: Vec<SliceDim> = parts.iter().map(dim).collect();
                let all_fixed: Option<Vec<Operand>> = dims
                    .iter()
                    .map(|dim| match dim {
                        SliceDim::Fix(at) => Some(*at),
                        SliceDim::Range { .. } => None,
                    })
                    .collect();
                self.b.with_certs(&certs, |b| match all_fixed {
                    Some(index) => b.index("x", array, &index).into(),
                    None => b.slice("xs", array, dims).into(),
                })
            }
            View::Replicate(_) => column,
        }
    }
}
