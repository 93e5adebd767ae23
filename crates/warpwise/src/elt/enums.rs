//! Functions that `#[derive(Elt)]` of an enum calls. An enum is stored as a tag and slots that the variants share.
//!
//! For every type, the number of slots is the maximum, over the variants, of the number of components of that type. A variant's
//! components take the slots of their types in order; unused slots are zero.

use warpwise_prim::{Scalar as Value, ValueType};

use super::{Elt, Values};
use crate::exp::Exp;
use crate::graph::{Op, Ref};

/// Types of the components of each variant's fields.
type Variants = [Vec<ValueType>];

/// Appends the types of the tag and the slots.
pub fn enum_components(variants: &Variants, into: &mut Vec<ValueType>) {
    into.push(ValueType::U8);
    into.extend(slots(variants));
}

/// Appends the tag and the slots of a value.
pub fn enum_store(tag: u8, values: &[Value], variants: &Variants, into: &mut Vec<Value>) {
    let slots = slots(variants);
    let mut stored: Vec<Value> = slots.iter().map(|ty| Value::zero(ty.scalar())).collect();
    for (place, value) in places(&slots, &variants[usize::from(tag)]).into_iter().zip(values) {
        stored[place] = *value;
    }
    into.push(Value::I8(tag as i8));
    into.extend(stored);
}

/// Reads the tag and the components of the variant's fields; `None` if there is no such variant.
pub fn enum_load(from: &mut Values<'_>, variants: &Variants) -> Option<(u8, Vec<Value>)> {
    let tag = u8::load(from)?;
    let slots = slots(variants);
    let stored: Vec<Value> = from.take(slots.len()).copied().collect();
    let places = places(&slots, variants.get(usize::from(tag))?);
    let values: Option<Vec<Value>> = places.into_iter().map(|place| stored.get(place).copied()).collect();
    Some((tag, values?))
}

/// Makes an expression of a variant with these fields.
#[track_caller]
pub fn enum_make<E: Elt>(tag: u8, variants: &Variants, fields: Vec<Ref>) -> Exp<E> {
    let slots = slots(variants);
    let types = &variants[usize::from(tag)];
    let whole =
        crate::graph::node(Op::Join, fields, Vec::new(), crate::graph::Ty::Scalars(types.as_slice().into()));
    let places = places(&slots, types);
    let mut parts = vec![Exp::constant(tag).node()];
    for (slot, ty) in slots.iter().enumerate() {
        let one = || crate::graph::Ty::Scalars([*ty].as_slice().into());
        parts.push(match places.iter().position(|place| *place == slot) {
            Some(at) => crate::graph::node(Op::Part(at), vec![whole.clone()], Vec::new(), one()),
            None => {
                let zero = Op::Constant(vec![Value::zero(ty.scalar())]);
                crate::graph::node(zero, Vec::new(), Vec::new(), one())
            }
        });
    }
    Exp::join(parts)
}

/// Returns the fields of a variant, as a tuple; the result is meaningless if the value is of another variant.
#[track_caller]
pub fn enum_fields<E: Elt, F: Elt>(exp: Exp<E>, tag: u8, variants: &Variants) -> Exp<F> {
    let slots = slots(variants);
    let types = &variants[usize::from(tag)];
    let node = exp.node();
    let part = |(place, ty): (usize, &ValueType)| {
        let one = crate::graph::Ty::Scalars([*ty].as_slice().into());
        crate::graph::node(Op::Part(1 + place), vec![node.clone()], Vec::new(), one)
    };
    Exp::join(places(&slots, types).into_iter().zip(types).map(part).collect())
}

fn slots(variants: &Variants) -> Vec<ValueType> {
    let mut slots: Vec<ValueType> = Vec::new();
    for types in variants {
        for ty in types {
            let count = |types: &[ValueType]| types.iter().filter(|other| *other == ty).count();
            if count(&slots) < count(types) {
                slots.push(*ty);
            }
        }
    }
    slots
}

/// Returns the slot of each component.
fn places(slots: &[ValueType], types: &[ValueType]) -> Vec<usize> {
    let mut taken = vec![false; slots.len()];
    let mut places = Vec::with_capacity(types.len());
    for ty in types {
        let free = (0..slots.len()).find(|&slot| slots[slot] == *ty && !taken[slot]);
        let place = free.unwrap_or(slots.len());
        if let Some(taken) = taken.get_mut(place) {
            *taken = true;
        }
        places.push(place);
    }
    places
}
