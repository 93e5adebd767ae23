//! Arrays of a few elements, known in number, that are replaced by their elements.

use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr, Operand, SliceDim, Type, Var};
use warpwise_prim::{Scalar, ScalarType};

/// Maximum number of elements of an array that is replaced by its elements.
pub const MOST_ELEMENTS: usize = 16;

/// The shape of a small array, or of a scalar, which has no dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extents {
    /// Type of an element.
    pub elem: ScalarType,
    /// Extents, outermost first.
    pub shape: Vec<usize>,
}

impl Extents {
    /// Returns the extents of a type, if they are known and small.
    pub fn of(ty: &Type) -> Option<Extents> {
        let size = |extent: &Operand| usize::try_from(known(*extent)?).ok();
        let extents =
            Extents { elem: ty.elem()?, shape: ty.shape().iter().map(size).collect::<Option<_>>()? };
        let small = extents.shape.iter().all(|&extent| (1..=MOST_ELEMENTS).contains(&extent));
        (small && extents.shape.len() <= 4 && extents.count() <= MOST_ELEMENTS).then_some(extents)
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the type of an element.
    pub fn scalar(&self) -> Type {
        Type::Scalar(self.elem)
    }

    /// Returns the extents of a row.
    pub fn row(&self) -> Extents {
        Extents { elem: self.elem, shape: self.shape[1..].to_vec() }
    }

    /// Returns the indices of an element, given its position in row-major order.
    pub fn indices(&self, mut at: usize) -> Vec<usize> {
        let mut indices = vec![0; self.shape.len()];
        for (index, extent) in indices.iter_mut().zip(&self.shape).rev() {
            *index = at % extent;
            at /= extent;
        }
        indices
    }

    /// Returns the position of an element, or of the first element of a row, in row-major order.
    pub fn place(&self, indices: &[usize]) -> usize {
        let of = |place, (i, extent): (usize, &usize)| place * extent + indices.get(i).copied().unwrap_or(0);
        self.shape.iter().enumerate().fold(0, of)
    }
}

/// A scalar, or the elements of a small array in row-major order.
#[derive(Clone, Debug)]
pub struct Value {
    /// The shape of the value.
    pub extents: Extents,
    /// The elements, as many as the shape has.
    pub elements: Vec<Operand>,
}

impl Value {
    /// Returns the elements of an operand, if it is small.
    pub fn read(b: &mut Builder, x: Operand) -> Option<Value> {
        let extents = Extents::of(&b.function.operand_type(x))?;
        let Some(array) = x.as_var().filter(|_| !extents.shape.is_empty()) else {
            return Some(Value { extents, elements: vec![x] });
        };
        let element = |at| {
            let indices: Vec<Operand> =
                extents.indices(at).into_iter().map(|i| Operand::i64(i as i64)).collect();
            b.index("x", array, &indices).into()
        };
        let elements = (0..extents.count()).map(element).collect();
        Some(Value { extents, elements })
    }

    /// Returns the elements that are variables.
    pub fn vars(&self) -> impl Iterator<Item = Var> {
        self.elements.iter().filter_map(|x| x.as_var())
    }

    /// Returns the scalar, or an array of the elements.
    pub fn assembled(&self, b: &mut Builder) -> Operand {
        match self.extents.shape.first() {
            None => self.elements[0],
            Some(&rows) => {
                let rows = (0..rows).map(|i| self.at(&[i]).assembled(b)).collect();
                b.bind_one("rows", Expr::ArrayLit(rows)).into()
            }
        }
    }

    /// Binds an array of the elements, or the scalar, to a variable.
    pub fn bind_to(&self, b: &mut Builder, var: Var) {
        let whole = self.assembled(b);
        b.bind_to(vec![var], Expr::Operand(whole));
    }

    /// Returns an element or row.
    pub fn at(&self, indices: &[usize]) -> Value {
        let mut extents = self.extents.clone();
        indices.iter().for_each(|_| extents = extents.row());
        let first = self.extents.place(indices);
        Value { elements: self.elements[first..first + extents.count()].to_vec(), extents }
    }

    /// Returns the same elements with permuted dimensions.
    pub fn rearranged(&self, perm: &[usize]) -> Value {
        let shape = perm.iter().map(|&dim| self.extents.shape[dim]).collect();
        let extents = Extents { elem: self.extents.elem, shape };
        let element = |at| {
            let mut indices = vec![0; perm.len()];
            for (&dim, index) in perm.iter().zip(extents.indices(at)) {
                indices[dim] = index;
            }
            self.elements[self.extents.place(&indices)]
        };
        Value { elements: (0..extents.count()).map(element).collect(), extents }
    }

    /// Returns the same elements in another shape. Code that a failing check precedes may ask for another number of elements.
    pub fn reshaped(self, extents: Extents) -> Option<Value> {
        (extents.count() == self.elements.len()).then_some(Value { extents, ..self })
    }

    /// Returns the elements of a slice whose bounds are known, in its order.
    pub fn sliced(&self, dims: &[SliceDim]) -> Option<Value> {
        let mut shape = Vec::new();
        let mut places = vec![0];
        for (dim, extent) in dims.iter().zip(&self.extents.shape) {
            let (start, len, stride) = match *dim {
                SliceDim::Fix(at) => (known(at)?, 1, 0),
                SliceDim::Range { start, len, stride } => (known(start)?, known(len)?, known(stride)?),
            };
            if matches!(dim, SliceDim::Range { .. }) {
                shape.push(usize::try_from(len).ok().filter(|&len| len > 0)?);
            }
            let index = |i| start.checked_add(stride.checked_mul(i)?).and_then(|at| usize::try_from(at).ok());
            let indices: Vec<usize> = (0..len).map(index).collect::<Option<_>>()?;
            places =
                places.iter().flat_map(|place| indices.iter().map(move |at| place * extent + at)).collect();
        }
        let elements = places.into_iter().map(|place| self.elements.get(place).copied());
        let extents = Extents { elem: self.extents.elem, shape };
        Some(Value { elements: elements.collect::<Option<_>>()?, extents })
    }

    /// Returns the array of the given rows.
    pub fn of_rows(rows: Vec<Value>) -> Option<Value> {
        let mut extents = rows.first()?.extents.clone();
        extents.shape.insert(0, rows.len());
        let elements: Vec<Operand> = rows.into_iter().flat_map(|row| row.elements).collect();
        (elements.len() <= MOST_ELEMENTS).then_some(Value { extents, elements })
    }
}

/// Returns the value of an integer constant.
pub fn known(x: Operand) -> Option<i64> {
    x.as_const().and_then(Scalar::as_int)
}
