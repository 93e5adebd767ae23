//! Delayed arrays: functions that compute an element, to be fused into the users of the array (papers/003, section 5.2).
//!
//! A tree of maps over stored arrays becomes a nest of `screma`s over these arrays, with an additional `iota` if the index, or
//! elements at other indices, are needed. Stored elements are inputs of the nest if they are used at the index of the result;
//! otherwise they are read by `index`.

use std::rc::Rc;

use warpwise_ir::{Expr, Lambda, Operand, Screma, SliceDim, Type, Var};
use warpwise_prim::BinaryOp;

use super::views::{self, View};
use super::{ArrayValue, Lowering, Value, internal};
use crate::error::Error;
use crate::graph::{Op, Ref};

/// Maximum nesting depth of delayed arrays; deeper ones are stored.
pub(super) const GREATEST_DEPTH: usize = 100;

/// Computation of an array's elements.
#[derive(Clone)]
pub(super) enum Delayed {
    /// Stored arrays of at least the needed extents (for rank 0, scalars).
    Stored(Vec<Operand>),
    /// A function of the elements of other arrays at the same index.
    Map {
        /// Operation whose first function is applied.
        node: Ref,
        /// If the function takes the index, the views that map the index of the result to it.
        index: Option<Rc<[View]>>,
        /// The other arrays.
        inputs: Rc<[Delayed]>,
    },
    /// Stored elements at indices that are derived from the index of the result and are in bounds.
    At {
        /// The arrays.
        columns: Vec<Operand>,
        /// Views that map the index of the result to the index into the arrays.
        views: Rc<[View]>,
    },
    /// Elements of another array at an index that a function computes.
    Gather {
        /// Operation whose first function computes the index.
        node: Ref,
        /// Views that map the index of the result to the function's argument.
        views: Rc<[View]>,
        /// The other array.
        source: Rc<ArrayValue>,
    },
}

/// An index at which elements are computed.
pub(super) struct At<'a> {
    /// The index; empty if nothing needs it.
    pub index: &'a [Operand],
    /// The elements of the nest's inputs, in order; `None` if the index was computed.
    pub leaves: Option<&'a mut dyn Iterator<Item = Operand>>,
    /// Certificates on which the index depends.
    pub certs: &'a [Var],
}

/// Builder of the innermost body of a nest of maps, from the index and the elements of the inputs.
pub(super) type Innermost<'a, 'f> =
    &'a mut dyn FnMut(&mut Lowering<'f>, &[Operand], &[Operand]) -> Result<Vec<Operand>, Error>;

impl Delayed {
    /// Returns the nesting depth of maps and gathers.
    pub fn depth(&self) -> usize {
        match self {
            Delayed::Stored(_) | Delayed::At { .. } => 0,
            Delayed::Map { inputs, .. } => 1 + inputs.iter().map(Delayed::depth).max().unwrap_or(0),
            Delayed::Gather { source, .. } => 1 + source.elements.depth(),
        }
    }

    /// Returns whether an element depends on its index other than through arrays at that index.
    pub fn needs_index(&self) -> bool {
        match self {
            Delayed::Stored(_) => false,
            Delayed::Map { index, inputs, .. } => index.is_some() || inputs.iter().any(Delayed::needs_index),
            Delayed::At { .. } | Delayed::Gather { .. } => true,
        }
    }

    /// Collects the stored arrays that are used at the index of the result.
    pub fn leaves(&self, into: &mut Vec<Operand>) {
        match self {
            Delayed::Stored(columns) => into.extend(columns),
            Delayed::Map { inputs, .. } => inputs.iter().for_each(|input| input.leaves(into)),
            Delayed::At { .. } | Delayed::Gather { .. } => {}
        }
    }
}

impl<'f> Lowering<'f> {
    /// Lowers operations that compute elements from an index, or from elements at the same index.
    pub(super) fn producer(&mut self, node: &Ref) -> Result<Value, Error> {
        let array = match &node.op {
            Op::Unit => {
                ArrayValue { shape: Vec::new(), elements: Delayed::Stored(self.scalars(&node.inputs[0])?) }
            }
            Op::Generate => {
                let shape = self.extents(node, &node.inputs[0])?;
                let (index, inputs) = (Some(Rc::from([])), Rc::from([]));
                ArrayValue { shape, elements: Delayed::Map { node: node.clone(), index, inputs } }
            }
            Op::Map { indexed, equal } => {
                let mut arrays = Vec::new();
                for input in &node.inputs {
                    arrays.push(self.array(input)?);
                }
                if *equal {
                    arrays.windows(2).for_each(|pair| self.check_equal(node, &pair[0].shape, &pair[1].shape));
                }
                let shape = self.intersection(arrays.iter().map(|array| array.shape.as_slice()));
                let inputs = arrays.into_iter().map(|array| array.elements).collect();
                let index = indexed.then(|| Rc::from([]));
                ArrayValue { shape, elements: Delayed::Map { node: node.clone(), index, inputs } }
            }
            Op::Backpermute => {
                let shape = self.extents(node, &node.inputs[0])?;
                let (views, source) = (Rc::from([]), Rc::new(self.array(&node.inputs[1])?));
                ArrayValue { shape, elements: Delayed::Gather { node: node.clone(), views, source } }
            }
            _ => return Err(internal(node, "no producer")),
        };
        self.produced(node, array)
    }

    /// Checks that extents computed by the program are not negative. The maximum with 0 keeps them valid extents even after a
    /// failed check.
    pub(super) fn extents(&mut self, node: &Ref, extents: &Ref) -> Result<Vec<Operand>, Error> {
        let sizes = self.scalars(extents)?;
        let mut checked = Vec::with_capacity(sizes.len());
        for size in sizes {
            let is_fine = match size.as_const() {
                Some(value) => value.as_int() >= Some(0),
                None => false,
            };
            if is_fine || self.is_size(size) {
                checked.push(size);
                continue;
            }
            let holds = self.b.compare("ok", warpwise_prim::CompareOp::SLe, 0, size);
            let cert = self.check(node, holds, "a negative extent: {}", &[size]);
            checked.push(self.b.with_certs(&[cert], |b| b.binary("n", BinaryOp::SMax, 0, size)));
        }
        Ok(checked)
    }

    /// Returns whether this is a size parameter.
    fn is_size(&self, size: Operand) -> bool {
        let params = self.b.function.params.iter();
        params
            .take_while(|param| *self.b.function.ty(param.var) == Type::I64)
            .any(|param| size == param.var.into())
    }

    /// Returns the smaller extent in every dimension.
    pub(super) fn intersection<'a>(&mut self, shapes: impl Iterator<Item = &'a [Operand]>) -> Vec<Operand> {
        let mut result: Option<Vec<Operand>> = None;
        for shape in shapes {
            let Some(smaller) = &mut result else {
                result = Some(shape.to_vec());
                continue;
            };
            for (smaller, &size) in smaller.iter_mut().zip(shape) {
                if *smaller != size {
                    *smaller = self.b.binary("n", BinaryOp::SMin, *smaller, size);
                }
            }
        }
        result.unwrap_or_default()
    }

    /// Computes the components of an element.
    pub(super) fn element(&mut self, elements: &Delayed, at: &mut At<'_>) -> Result<Vec<Operand>, Error> {
        match elements {
            Delayed::Stored(columns) => match &mut at.leaves {
                Some(leaves) => Ok(columns.iter().map(|column| leaves.next().unwrap_or(*column)).collect()),
                None => Ok(self.read(columns, at.index, at.certs)),
            },
            Delayed::Map { node, index, inputs } => {
                let mut arguments = Vec::new();
                if let Some(views) = index {
                    let (index, _) = views::source_index(self, views, at.index);
                    arguments.push(index);
                }
                for input in inputs.iter() {
                    arguments.push(self.element(input, at)?);
                }
                self.apply_scalar(node, 0, arguments)
            }
            Delayed::At { columns, views } => {
                let (index, mut certs) = views::source_index(self, views, at.index);
                certs.extend_from_slice(at.certs);
                Ok(self.read(columns, &index, &certs))
            }
            Delayed::Gather { node, views, source } => {
                let (index, mut certs) = views::source_index(self, views, at.index);
                certs.extend_from_slice(at.certs);
                let place = self.apply_scalar(node, 0, vec![index])?;
                certs.extend(self.check_index(node, &place, &source.shape));
                self.element(&source.elements, &mut At { index: &place, leaves: None, certs: &certs })
            }
        }
    }

    /// Stores an array. Returns one array per component.
    pub(super) fn store(&mut self, array: &ArrayValue) -> Result<Vec<Operand>, Error> {
        if let Delayed::Stored(columns) = &array.elements {
            return Ok(columns.clone());
        }
        let elements = array.elements.clone();
        self.nest(&array.shape, &array.elements, &mut |lowering, index, leaves| {
            let mut leaves = leaves.iter().copied();
            lowering.element(&elements, &mut At { index, leaves: Some(&mut leaves), certs: &[] })
        })
    }

    /// Builds a nest of maps over these extents. Its inputs are the stored arrays that the elements use.
    pub(super) fn nest(
        &mut self,
        shape: &[Operand],
        elements: &Delayed,
        innermost: Innermost<'_, 'f>,
    ) -> Result<Vec<Operand>, Error> {
        let mut leaves = Vec::new();
        elements.leaves(&mut leaves);
        let inputs: Vec<Operand> = leaves.iter().map(|leaf| self.cut(*leaf, shape)).collect();
        self.nested(shape, elements.needs_index(), &mut Vec::new(), inputs, innermost)
    }

    /// Slices an array of at least these extents to exactly these extents in the leading dimensions.
    pub(super) fn cut(&mut self, array: Operand, shape: &[Operand]) -> Operand {
        let Some(var) = array.as_var() else { return array };
        let extents = self.b.function.ty(var).shape().to_vec();
        if extents.iter().zip(shape).all(|(extent, wanted)| extent == wanted) {
            return array;
        }
        let range = |len: Operand| SliceDim::Range { start: 0.into(), len, stride: 1.into() };
        let dims = (0..extents.len()).map(|at| range(*shape.get(at).unwrap_or(&extents[at]))).collect();
        self.b.slice("part", var, dims).into()
    }

    pub(super) fn nested(
        &mut self,
        shape: &[Operand],
        needs_index: bool,
        index: &mut Vec<Operand>,
        inputs: Vec<Operand>,
        innermost: Innermost<'_, 'f>,
    ) -> Result<Vec<Operand>, Error> {
        let Some((&width, inner)) = shape.split_first() else { return innermost(self, index, &inputs) };
        let (arrays, params, at) = self.inputs(width, &inputs, needs_index);
        let map = self.lambda(params, |lowering, elements| {
            let depth = index.len();
            index.extend(at.map(|_| elements[elements.len() - 1]));
            let leaves = elements[..inputs.len()].to_vec();
            let result = lowering.nested(inner, needs_index, index, leaves, innermost);
            index.truncate(depth);
            result
        })?;
        Ok(self.screma(width, arrays, map, Vec::new(), Vec::new(), None))
    }

    /// Returns the inputs of a map over `width` elements, and its parameters: the arrays, then the index if it is needed or there
    /// is no array.
    #[allow(clippy::type_complexity)]
    pub(super) fn inputs(
        &mut self,
        width: Operand,
        inputs: &[Operand],
        needs_index: bool,
    ) -> (Vec<Var>, Vec<Var>, Option<Var>) {
        let mut arrays: Vec<Var> = inputs.iter().filter_map(|input| input.as_var()).collect();
        let mut types: Vec<Type> = arrays.iter().map(|array| self.b.function.ty(*array).row(1)).collect();
        let iota = (needs_index || arrays.is_empty())
            .then(|| self.b.bind_one("indices", Expr::Iota { len: width, start: 0.into(), step: 1.into() }));
        arrays.extend(iota);
        types.extend(iota.map(|_| Type::I64));
        let params = self.fresh("x", &types);
        (arrays, params, iota.filter(|_| needs_index))
    }

    pub(super) fn lambda(
        &mut self,
        params: Vec<Var>,
        build: impl FnOnce(&mut Self, &[Operand]) -> Result<Vec<Operand>, Error>,
    ) -> Result<Lambda, Error> {
        let elements: Vec<Operand> = params.iter().map(|param| (*param).into()).collect();
        let body = self.body(|lowering| build(lowering, &elements))?;
        Ok(Lambda { params, body })
    }

    pub(super) fn screma(
        &mut self,
        width: Operand,
        inputs: Vec<Var>,
        map: Lambda,
        scans: Vec<warpwise_ir::Scan>,
        reduces: Vec<warpwise_ir::Reduce>,
        post: Option<Lambda>,
    ) -> Vec<Operand> {
        let screma = Screma { width, inputs, map, scans, reduces, post };
        self.b.bind("xs", Expr::Screma(Box::new(screma))).into_iter().map(Operand::Var).collect()
    }
}
