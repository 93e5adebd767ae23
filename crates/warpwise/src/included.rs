//! Programs in the language, called from Rust: what the code that `include_fut!` writes calls.
//!
//! A value of Rust is passed as the scalars and arrays it is made of ([`HostValue`]). A program is compiled by the first context that
//! calls it, as computations are, and kept by it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use warpwise_driver::embedded::Embedded;
use warpwise_prim::{Scalar as CoreScalar, ValueType};
use warpwise_runtime::array::{Array as Column, Value};

use crate::acc::Acc;
use crate::array::{Array, host_memory};
use crate::context::Context;
use crate::elt::{Elt, Scalar};
use crate::error::Error;
use crate::exp::Exp;
use crate::function::Output;
use crate::shape::Shape;

/// A program whose files are parts of this executable.
pub struct Included {
    program: Embedded,
    key: OnceLock<u128>,
}

/// What an entry point takes or gives on the host.
pub trait HostValue: Sized {
    /// Appends the scalars and arrays it is made of.
    fn store(self, into: &mut Vec<Value>) -> Result<(), Error>;

    /// Takes the scalars and arrays of a value.
    fn load(from: &mut std::vec::IntoIter<Value>) -> Result<Self, Error>;
}

/// What a value of a sum type is made of: the number of its constructor, then places that the constructors share.
pub struct SumLayout<'l> {
    /// Types and numbers of dimensions.
    pub leaves: &'l [(ValueType, usize)],
    /// For each constructor the places of what it carries.
    pub places: &'l [&'l [usize]],
}

impl Included {
    /// A program not compiled yet.
    pub const fn new(program: Embedded) -> Included {
        Included { program, key: OnceLock::new() }
    }

    /// Calls an entry point.
    pub fn call(
        &self,
        context: &Context,
        entry: &str,
        arguments: Vec<Value>,
    ) -> Result<std::vec::IntoIter<Value>, Error> {
        Ok(context.call_included(self, entry, arguments)?.into_iter())
    }

    pub(crate) fn program(&self) -> &Embedded {
        &self.program
    }

    /// What a context knows it by.
    pub(crate) fn key(&self) -> u128 {
        *self.key.get_or_init(|| {
            let half = |salt: u8| {
                let mut hasher = DefaultHasher::new();
                (salt, self.program).hash(&mut hasher);
                u128::from(hasher.finish())
            };
            half(2) << 64 | half(3)
        })
    }
}

impl<Sh: Shape, E: Elt> HostValue for Array<Sh, E> {
    fn store(self, into: &mut Vec<Value>) -> Result<(), Error> {
        let raw = self.into_raw();
        into.extend(raw.types.into_iter().zip(raw.columns).map(|(ty, column)| Value::array(ty, column)));
        Ok(())
    }

    fn load(from: &mut std::vec::IntoIter<Value>) -> Result<Self, Error> {
        <Acc<Array<Sh, E>> as Output>::host(from)
    }
}

macro_rules! scalars {
    ($($ty:ty)*) => { $(
        impl HostValue for $ty {
            fn store(self, into: &mut Vec<Value>) -> Result<(), Error> {
                into.push(Value::scalar(<$ty as Scalar>::VALUE_TYPE, self.value()));
                Ok(())
            }

            fn load(from: &mut std::vec::IntoIter<Value>) -> Result<Self, Error> {
                <Exp<$ty> as Output>::host(from)
            }
        }
    )* };
}

scalars!(bool i8 i16 i32 i64 u8 u16 u32 u64 half::f16 f32 f64);

macro_rules! tuples {
    ($($($name:ident $at:tt)*;)*) => { $(
        #[allow(unused_variables)]
        impl<$($name: HostValue),*> HostValue for ($($name,)*) {
            fn store(self, into: &mut Vec<Value>) -> Result<(), Error> {
                $(self.$at.store(into)?;)*
                Ok(())
            }

            fn load(from: &mut std::vec::IntoIter<Value>) -> Result<Self, Error> {
                Ok(($($name::load(from)?,)*))
            }
        }
    )* };
}

tuples! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}

impl SumLayout<'_> {
    /// Appends the value of a constructor that carries this. What others carry is zero, and arrays without elements.
    pub fn store(&self, number: usize, payload: Vec<Value>, into: &mut Vec<Value>) -> Result<(), Error> {
        let start = into.len();
        for &(ty, rank) in self.leaves {
            into.push(match rank {
                0 => Value::scalar(ty, CoreScalar::zero(ty.scalar())),
                _ => Value::array(ty, Column::allocate(host_memory(), ty.scalar(), &vec![0; rank])?),
            });
        }
        let leaves = &mut into[start..];
        let (Some(places), Some(tag)) = (self.places.get(number), leaves.first_mut()) else {
            return Err(not_a_value());
        };
        let ty = tag.element_type();
        *tag = Value::scalar(ty, CoreScalar::int(ty.scalar(), number as i64));
        for (&place, value) in places.iter().zip(payload) {
            // A place is of one sign, what it is for may be of another.
            let ty = self.leaves[place].0;
            leaves[place] = match value {
                Value::Scalar { value, .. } => Value::scalar(ty, value),
                Value::Array { array, .. } => Value::array(ty, array),
            };
        }
        Ok(())
    }

    /// The number of a value's constructor, and what it carries.
    pub fn load(
        &self,
        from: &mut std::vec::IntoIter<Value>,
    ) -> Result<(usize, std::vec::IntoIter<Value>), Error> {
        let leaves: Vec<Value> = from.take(self.leaves.len()).collect();
        let number = match leaves.first() {
            Some(Value::Scalar { value, .. }) => value.to_bits() as usize,
            Some(Value::Array { .. }) | None => return Err(not_a_value()),
        };
        let places = self.places.get(number).ok_or_else(not_a_value)?;
        let payload: Option<Vec<Value>> = places.iter().map(|&place| leaves.get(place).cloned()).collect();
        Ok((number, payload.ok_or_else(not_a_value)?.into_iter()))
    }
}

/// The error that values which are none of their type are.
pub fn not_a_value() -> Error {
    Error::Internal("a value of a sum type has no constructor".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: SumLayout<'static> = SumLayout {
        leaves: &[(ValueType::U8, 0), (ValueType::I32, 0), (ValueType::F64, 1)],
        places: &[&[1], &[], &[2, 1]],
    };

    fn stored(number: usize, payload: Vec<Value>) -> Vec<Value> {
        let mut values = Vec::new();
        LAYOUT.store(number, payload, &mut values).unwrap();
        values
    }

    #[test]
    fn constructors_share_places() {
        let mut payload = Vec::new();
        let xs: Array<crate::Dim1, f64> = Array::from_vec([2], vec![1.0, 2.0]).unwrap();
        (xs.clone(), 7_u32).store(&mut payload).unwrap();
        let values = stored(2, payload);
        assert_eq!(values[0], Value::from_element(2_u8));
        assert_eq!(values[1], Value::from_element(7_i32), "of the place's sign");
        let (number, mut payload) = LAYOUT.load(&mut values.into_iter()).unwrap();
        assert_eq!(number, 2);
        assert_eq!(HostValue::load(&mut payload), Ok((xs, 7_u32)));
        let values = stored(1, Vec::new());
        assert_eq!(values[1], Value::from_element(0_i32));
        assert_eq!(values[2].shape(), [0]);
        assert_eq!(LAYOUT.load(&mut values.into_iter()).unwrap().0, 1);
    }

    #[test]
    fn numbers_without_constructors_are_errors() {
        let values = vec![Value::from_element(3_u8), Value::from_element(0_i32)];
        assert!(LAYOUT.load(&mut values.into_iter()).is_err());
        assert!(LAYOUT.load(&mut Vec::new().into_iter()).is_err());
        assert!(LAYOUT.store(3, Vec::new(), &mut Vec::new()).is_err());
    }
}
