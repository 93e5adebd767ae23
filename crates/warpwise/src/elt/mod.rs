//! Elements: the values that arrays hold and expressions compute.
//!
//! An element is a fixed number of scalars; an array of elements is stored as one array per scalar. The trait [`Elt`] defines how
//! a Rust type is decomposed into scalars, and how a program sees an expression of that type (its [`View`](Elt::View)): a tuple
//! of expressions for a tuple, a struct of expressions for a struct that derives [`Elt`].

mod complex;
mod enums;
mod impls;
mod option;
mod scalar;
mod vectors;

use warpwise_prim::{Scalar as Value, ValueType};
use warpwise_runtime::array::Array as Column;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::exp::Exp;

pub use complex::{Complex, ComplexExp};
pub use enums::{enum_components, enum_fields, enum_load, enum_make, enum_store};
pub use option::OptionExp;
pub use scalar::{Bits, Float, Integer, Num, Scalar, Signed};
pub use vectors::{V2, V2Exp, V3, V3Exp, V4, V4Exp};

/// A type whose values arrays can hold.
///
/// Implemented for the scalars `bool`, `i8` to `i64`, `u8` to `u64`, `isize` and `usize` (where they have 64 bits),
/// [`f16`](crate::f16), `f32` and `f64`, for `char`, `Option`s, tuples, arrays `[T; N]` of fixed length, [`Complex`], the vectors [`V2`] to
/// [`V4`], and by `#[derive(Elt)]` for structs and enums of elements.
///
/// ```
/// use warpwise::{Array, Context, Elt, use_};
///
/// #[derive(Clone, Debug, PartialEq, Elt)]
/// struct Particle { position: [f32; 2], mass: f32 }
///
/// let particles = vec![Particle { position: [1.0, 2.0], mass: 3.0 }; 4];
/// let array = Array::from_vec([4], particles)?;
/// let moments = use_(&array).map(|p| p.position[0] * p.mass);
/// assert_eq!(Context::cpu()?.run(&moments)?.to_vec(), [3.0; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of an array",
    note = "elements are scalars, tuples, fixed-length arrays, and types with `#[derive(warpwise::Elt)]`"
)]
pub trait Elt: Clone + Send + Sync + 'static {
    /// Form in which a program sees an expression of this type.
    type View: Copy + IntoExp<Elt = Self> + Operand<Self>;

    /// Appends the types of the element's scalars.
    #[doc(hidden)]
    fn components(into: &mut Vec<ValueType>);

    /// Appends the element's scalars.
    #[doc(hidden)]
    fn store(&self, into: &mut Vec<Value>);

    /// Reads the scalars of one value; `None` if they are not a valid value.
    #[doc(hidden)]
    fn load(from: &mut Values<'_>) -> Option<Self>;

    /// Decomposes an expression into its view.
    #[doc(hidden)]
    fn view(exp: Exp<Self>) -> Self::View;

    /// Copies elements to one array per component.
    #[doc(hidden)]
    fn to_columns(elements: &[Self], shape: &[i64], pool: &MemoryPool) -> Result<Vec<Column>, OutOfMemory> {
        columns_of(elements, shape, pool)
    }

    /// Turns elements into one array per component; scalars are not copied.
    #[doc(hidden)]
    fn into_columns(
        elements: Vec<Self>,
        shape: &[i64],
        pool: &MemoryPool,
    ) -> Result<Vec<Column>, OutOfMemory> {
        columns_of(&elements, shape, pool)
    }

    /// Reads all elements from the component arrays; `None` if a scalar is not valid.
    #[doc(hidden)]
    fn from_columns(columns: &[Column], count: usize) -> Option<Vec<Self>> {
        Some((0..count).map(Self::reader(columns)?).collect())
    }

    /// Writes elements to the bytes of the component arrays, which it takes from `columns`. A type made of other elements writes
    /// one part of all elements after the other.
    #[doc(hidden)]
    fn write<'e>(elements: impl Iterator<Item = &'e Self> + Clone, columns: &mut ColumnsMut<'_>) {
        write_each(elements, columns);
    }

    /// Returns a function that reads the element at a position; `None` if a scalar is not valid.
    #[doc(hidden)]
    fn reader(columns: &[Column]) -> Option<impl Fn(usize) -> Self> {
        let elements = read_each::<Self>(columns)?;
        Some(move |place: usize| elements[place].clone())
    }
}

/// A value that closures may return and operations accept as an expression: an expression, a view, a constant of scalar type, or
/// a tuple or array of these.
///
/// ```
/// use warpwise::{Acc, Context, IntoExp, Vector, fill};
///
/// fn pairs<R: IntoExp>(element: R) -> Acc<Vector<R::Elt>> {
///     fill(2, element)
/// }
///
/// assert_eq!(Context::new()?.run(&pairs((1, true)))?.to_vec(), [(1, true), (1, true)]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is no scalar expression")]
pub trait IntoExp {
    /// Type of the value.
    type Elt: Elt;

    /// Converts the value to an expression.
    fn into_exp(self) -> Exp<Self::Elt>;
}

/// A value that can stand for an expression of the known type `E`: an expression, a view, a constant, or a tuple or array of
/// these.
///
/// ```
/// use warpwise::{Context, Exp, Operand};
///
/// fn above(limit: impl Operand<i32>) -> Exp<bool> {
///     Exp::constant(5).gt(limit)
/// }
///
/// let (constant, expression) = (above(3), above(Exp::constant(7)));
/// assert_eq!(Context::new()?.run(&(constant, expression))?, (true, false));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is no expression of type `{E}`")]
pub trait Operand<E: Elt> {
    /// Converts the value to an expression.
    fn operand(self) -> Exp<E>;
}

/// Iterator over the bytes of component arrays.
#[doc(hidden)]
pub type ColumnsMut<'a> = std::vec::IntoIter<&'a mut [u8]>;

/// Iterator over scalars.
pub type Values<'a> = std::slice::Iter<'a, Value>;

/// Returns the number of scalars of an element.
#[doc(hidden)]
pub fn count<E: Elt>() -> usize {
    components::<E>().len()
}

/// Returns the types of an element's scalars.
pub(crate) fn components<E: Elt>() -> Vec<ValueType> {
    let mut types = Vec::new();
    E::components(&mut types);
    types
}

/// Takes the arrays of an element's scalars from the front.
#[doc(hidden)]
pub fn split<'a, E: Elt>(columns: &mut &'a [Column]) -> &'a [Column] {
    let (own, rest) = columns.split_at(count::<E>().min(columns.len()));
    *columns = rest;
    own
}

fn columns_of<E: Elt>(elements: &[E], shape: &[i64], pool: &MemoryPool) -> Result<Vec<Column>, OutOfMemory> {
    let types = components::<E>();
    let mut columns = Vec::with_capacity(types.len());
    for ty in &types {
        columns.push(Column::allocate(pool, ty.scalar(), shape)?);
    }
    let mut bytes = Vec::with_capacity(columns.len());
    for column in &mut columns {
        bytes.push(column.bytes_mut(pool)?);
    }
    E::write(elements.iter(), &mut bytes.into_iter());
    Ok(columns)
}

/// Writes elements scalar by scalar.
fn write_each<'e, E: Elt>(elements: impl Iterator<Item = &'e E>, columns: &mut ColumnsMut<'_>) {
    let types = components::<E>();
    let columns = types.iter().zip(columns);
    let mut columns: Vec<_> =
        columns.map(|(ty, bytes)| bytes.chunks_exact_mut(ty.scalar().bytes())).collect();
    let mut values = Vec::with_capacity(types.len());
    for element in elements {
        element.store(&mut values);
        for (value, places) in values.drain(..).zip(&mut columns) {
            if let Some(place) = places.next() {
                let width = place.len();
                place.copy_from_slice(&value.to_bits().to_le_bytes()[..width]);
            }
        }
    }
}

/// Reads elements scalar by scalar.
fn read_each<E: Elt>(columns: &[Column]) -> Option<Vec<E>> {
    let types = components::<E>();
    let count = columns.first().map_or(0, Column::len);
    let mut bytes: Vec<_> = columns
        .iter()
        .zip(&types)
        .map(|(column, ty)| column.bytes().chunks_exact(ty.scalar().bytes()))
        .collect();
    let mut values = Vec::with_capacity(types.len());
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count {
        for (places, ty) in bytes.iter_mut().zip(&types) {
            let place = places.next()?;
            let mut bits = [0; 8];
            bits[..place.len()].copy_from_slice(place);
            values.push(Value::from_bits(ty.scalar(), u64::from_le_bytes(bits)));
        }
        elements.push(E::load(&mut values.iter())?);
        values.clear();
    }
    Some(elements)
}
