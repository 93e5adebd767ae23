//! The scalar types and their operations.

use std::fmt::Debug;

use half::f16;
use warpwise_prim::{Scalar as Value, ValueType};
use warpwise_runtime::array::{Array as Column, Element};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use super::{ColumnsMut, Elt, IntoExp, Operand, Values};
use crate::exp::Exp;

/// A scalar: an element whose view is the expression itself.
///
/// ```
/// use warpwise::{Acc, Context, Scalar, Vector, fill};
///
/// fn same<T: Scalar>(xs: &Acc<Vector<T>>) -> Acc<Vector<T>> {
///     xs.map(|x| x)
/// }
///
/// assert_eq!(Context::new()?.run(&same(&fill(2, true)))?.to_vec(), [true, true]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Scalar:
    Elt<View = Exp<Self>> + IntoExp<Elt = Self> + Operand<Self> + Copy + Debug + PartialEq + Element
{
    /// Surface type of the scalar.
    #[doc(hidden)]
    const VALUE_TYPE: ValueType;

    /// Converts the value to a constant of core IR.
    #[doc(hidden)]
    fn value(self) -> Value;
}

/// A number.
///
/// ```
/// use warpwise::{Acc, Context, Num, Vector, enum_from};
///
/// fn squares<T: Num>(xs: &Acc<Vector<T>>) -> Acc<Vector<T>> {
///     xs.map(|x| x * x)
/// }
///
/// assert_eq!(Context::new()?.run(&squares(&enum_from(3, 1.0_f32)))?.to_vec(), [1.0, 4.0, 9.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number",
    note = "vectors of expressions are made by `V2Exp::new`, `V3Exp::new` and `V4Exp::new`"
)]
pub trait Num: Scalar {
    /// Returns the value nearest to this number.
    #[doc(hidden)]
    fn of(value: f64) -> Self;

    /// Returns the least and the greatest value (for floats: the infinities).
    #[doc(hidden)]
    fn bounds() -> (Self, Self);
}

/// A number with a sign.
///
/// ```
/// use warpwise::{Context, Exp, Signed};
///
/// fn opposite<T: Signed>(x: Exp<T>) -> Exp<T> {
///     -x
/// }
///
/// assert_eq!(Context::new()?.run(&opposite(Exp::constant(3_i8)))?, -3);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Signed: Num {}

/// An integer.
///
/// ```
/// use warpwise::{Context, Exp, Integer};
///
/// fn rest<T: Integer>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
///     x % y
/// }
///
/// assert_eq!(Context::new()?.run(&rest(Exp::constant(7_u16), Exp::constant(4)))?, 3);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is no integer")]
pub trait Integer: Num + Bits {}

/// A floating-point number.
///
/// ```
/// use warpwise::{Context, Exp, Float};
///
/// fn length<T: Float>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
///     (x * x + y * y).sqrt()
/// }
///
/// assert_eq!(Context::new()?.run(&length(Exp::constant(3.0_f32), Exp::constant(4.0)))?, 5.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no floating-point number",
    note = "complex numbers of expressions are made by `ComplexExp::new`"
)]
pub trait Float: Signed {}

/// An integer or `bool`: the operand types of `&`, `|`, `^` and `!`.
///
/// ```
/// use warpwise::{Bits, Context, Exp};
///
/// fn both<T: Bits>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
///     x & y
/// }
///
/// assert_eq!(Context::new()?.run(&both(Exp::constant(6_u8), Exp::constant(3)))?, 2);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` has no bit operations")]
pub trait Bits: Scalar {}

macro_rules! scalars {
    ($($ty:ident $variant:ident $raw:ident ($($tr:ident)*) $of:expr, $bounds:expr;)*) => { $(
        #[allow(clippy::unnecessary_cast)]
        impl Elt for $ty {
            type View = Exp<$ty>;

            fn components(into: &mut Vec<ValueType>) {
                into.push(ValueType::$variant);
            }

            fn store(&self, into: &mut Vec<Value>) {
                into.push(self.value());
            }

            fn load(from: &mut Values<'_>) -> Option<$ty> {
                match from.next()? {
                    Value::$raw(value) => Some(*value as $ty),
                    _ => None,
                }
            }

            fn view(exp: Exp<$ty>) -> Exp<$ty> {
                exp
            }

            fn to_columns(elements: &[$ty], shape: &[i64], pool: &MemoryPool) -> Result<Vec<Column>, OutOfMemory> {
                Ok(vec![Column::from_slice(pool, shape, elements)?])
            }

            fn into_columns(elements: Vec<$ty>, shape: &[i64], _pool: &MemoryPool) -> Result<Vec<Column>, OutOfMemory> {
                Ok(vec![Column::from_vec(shape, elements)])
            }

            fn from_columns(columns: &[Column], _count: usize) -> Option<Vec<$ty>> {
                columns.first()?.as_slice().map(<[$ty]>::to_vec)
            }

            fn write<'e>(elements: impl Iterator<Item = &'e $ty> + Clone, columns: &mut ColumnsMut<'_>) {
                let bytes = columns.next().unwrap_or_default();
                for (place, element) in bytes.chunks_exact_mut(size_of::<$ty>()).zip(elements) {
                    place.copy_from_slice(bytemuck::bytes_of(element));
                }
            }

            fn reader(columns: &[Column]) -> Option<impl Fn(usize) -> $ty> {
                let elements = columns.first()?.as_slice::<$ty>()?;
                Some(move |place: usize| elements[place])
            }
        }

        #[allow(clippy::unnecessary_cast)]
        impl Scalar for $ty {
            const VALUE_TYPE: ValueType = ValueType::$variant;

            fn value(self) -> Value {
                Value::$raw(self as _)
            }
        }

        impl IntoExp for $ty {
            type Elt = $ty;

            fn into_exp(self) -> Exp<$ty> {
                Exp::constant(self)
            }
        }

        impl Operand<$ty> for $ty {
            fn operand(self) -> Exp<$ty> {
                Exp::constant(self)
            }
        }

        scalars!(@traits $ty $of, $bounds; $($tr)*);
    )* };
    (@traits $ty:ident $of:expr, $bounds:expr; Num $($tr:ident)*) => {
        impl Num for $ty {
            fn of(value: f64) -> $ty {
                let of: fn(f64) -> $ty = $of;
                of(value)
            }

            fn bounds() -> ($ty, $ty) {
                $bounds
            }
        }
        $(impl $tr for $ty {})*
    };
    (@traits $ty:ident $of:expr, $bounds:expr; $($tr:ident)*) => { $(impl $tr for $ty {})* };
}

scalars! {
    bool Bool Bool (Bits) |_| false, ();
    i8 I8 I8 (Num Signed Integer Bits) |x| x as i8, (i8::MIN, i8::MAX);
    i16 I16 I16 (Num Signed Integer Bits) |x| x as i16, (i16::MIN, i16::MAX);
    i32 I32 I32 (Num Signed Integer Bits) |x| x as i32, (i32::MIN, i32::MAX);
    i64 I64 I64 (Num Signed Integer Bits) |x| x as i64, (i64::MIN, i64::MAX);
    u8 U8 I8 (Num Integer Bits) |x| x as u8, (u8::MIN, u8::MAX);
    u16 U16 I16 (Num Integer Bits) |x| x as u16, (u16::MIN, u16::MAX);
    u32 U32 I32 (Num Integer Bits) |x| x as u32, (u32::MIN, u32::MAX);
    isize I64 I64 (Num Signed Integer Bits) |x| x as isize, (isize::MIN, isize::MAX);
    u64 U64 I64 (Num Integer Bits) |x| x as u64, (u64::MIN, u64::MAX);
    usize U64 I64 (Num Integer Bits) |x| x as usize, (usize::MIN, usize::MAX);
    f16 F16 F16 (Num Signed Float) f16::from_f64, (f16::NEG_INFINITY, f16::INFINITY);
    f32 F32 F32 (Num Signed Float) |x| x as f32, (f32::NEG_INFINITY, f32::INFINITY);
    f64 F64 F64 (Num Signed Float) |x| x, (f64::NEG_INFINITY, f64::INFINITY);
}
