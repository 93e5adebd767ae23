//! Functions for arrays of scalars, and for all values.

use std::ffi::c_int;
use std::ptr;

use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::array::{Array, Value, element_count};

use super::Context;
use super::context::{held, make, not_null, with};
use crate::abi::part;
use crate::interface::TypeRef;
use crate::program::Program;
use crate::value::{Held, Problem, misuse, rank};

/// Reads the scalar at `place`, or the value of the handle `place`; an error if it is null.
///
/// # Safety
/// For a scalar type, a scalar of this type lies at `place`; otherwise `place` is a handle.
pub unsafe fn read(ty: TypeRef, place: *const u8) -> Result<Held, Problem> {
    match ty {
        TypeRef::Scalar(ty) => {
            not_null(place, "the place of a scalar")?;
            let mut bits = [0; 8];
            // SAFETY: guaranteed by the caller.
            unsafe { ptr::copy_nonoverlapping(place, bits.as_mut_ptr(), ty.scalar().bytes()) };
            Ok(Held::scalar(ty, Scalar::from_bits(ty.scalar(), u64::from_le_bytes(bits))))
        }
        // SAFETY: guaranteed by the caller.
        TypeRef::Named(_) => Ok(unsafe { held(place.cast()) }?.clone()),
    }
}

/// Writes a scalar, or a handle to any other value, to a place.
///
/// # Safety
/// The place has room for the scalar or the handle.
pub unsafe fn write(value: Held, place: *mut u8) {
    match (value.ty, value.leaves.first()) {
        (TypeRef::Scalar(ty), Some(Value::Scalar { value, .. })) => {
            let bytes = value.to_bits().to_le_bytes();
            // SAFETY: guaranteed by the caller.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, ty.scalar().bytes()) };
        }
        _ => {
            // SAFETY: guaranteed by the caller.
            unsafe { place.cast::<*mut Held>().write_unaligned(Box::into_raw(Box::new(value))) };
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_new_array(
    context: *const Context,
    ty: usize,
    data: *const u8,
    shape: *const i64,
) -> *mut Held {
    let copied = |program: &Program| {
        let ty = TypeRef::Named(ty);
        // SAFETY: there are as many sizes as dimensions.
        let shape = unsafe { part(shape, rank(&program.interface, ty)) };
        match element_count(shape) {
            None => return Err(misuse("the sizes are negative, or more than 64 bits can count")),
            Some(0) => {}
            Some(_) => not_null(data, "the data of the array")?,
        }
        let (element, _) = program.interface.leaves(ty)[0];
        let mut array = Array::allocate(program.memory(), element.scalar(), shape)?;
        let target = array.bytes_mut(program.memory())?;
        // SAFETY: the data has this shape.
        let bytes = unsafe { part(data, target.len()) };
        if element.scalar() == ScalarType::Bool {
            target.iter_mut().zip(bytes).for_each(|(target, &byte)| *target = u8::from(byte != 0));
        } else if bytes.len() == target.len() {
            target.copy_from_slice(bytes);
        }
        Ok(Held::new(&program.interface, ty, vec![Value::array(element, array)]))
    };
    // SAFETY: the caller's handle is valid.
    unsafe { make(context, copied) }
}

/// Frees any value. In a child of the process that made the context, the value's memory stays: a thread of the parent may have locked
/// the pool that it returns to.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn warpwise_free(context: *const Context, value: *mut Held) -> c_int {
    // SAFETY: the caller's handle is valid.
    let is_inherited = unsafe { context.as_ref() }.is_some_and(Context::is_inherited);
    if !value.is_null() && !is_inherited {
        // SAFETY: handles are made by `Box::into_raw` and freed once.
        drop(unsafe { Box::from_raw(value) });
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_values(context: *const Context, value: *const Held, data: *mut u8) -> c_int {
    let copy_out = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle is valid.
        let bytes = only_array(program, unsafe { held(value) }?)?.bytes();
        if !bytes.is_empty() {
            not_null(data, "the place of the elements")?;
            // SAFETY: there is room for the array.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len()) };
        }
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, copy_out) }
}

/// Returns the address of the elements, in row-major order.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_values_raw(context: *const Context, value: *const Held) -> *mut u8 {
    let mut start = ptr::null_mut();
    let find = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle is valid.
        start = only_array(program, unsafe { held(value) }?)?.bytes().as_ptr().cast_mut();
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, find) };
    start
}

/// Returns the address of the sizes, which the handle keeps.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_shape(context: *const Context, value: *const Held) -> *const i64 {
    let mut sizes = ptr::null();
    let find = |_: &Context, _: &Program| {
        // SAFETY: the caller's handle is valid.
        sizes = unsafe { held(value) }?.shape.as_ptr();
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, find) };
    sizes
}

/// Copies out an element of an array; there is one index per dimension.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_index(
    context: *const Context,
    result: *mut u8,
    value: *const Held,
    index: *const i64,
) -> c_int {
    let element = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        // SAFETY: the caller's handle is valid.
        let value = unsafe { held(value) }?;
        // SAFETY: there are as many indices as dimensions.
        let index = unsafe { part(index, value.shape.len()) };
        let element = program.values().index(value, index)?;
        // SAFETY: the result has room for such a value.
        unsafe { write(element, result) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, element) }
}

/// Replaces an element of an array.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_set(
    context: *const Context,
    value: *mut Held,
    element: *const u8,
    index: *const i64,
) -> c_int {
    let replace = |_: &Context, program: &Program| {
        not_null(value, "the value")?;
        // SAFETY: the caller's handle is valid.
        let value = unsafe { &mut *value };
        let ty = program.values().element(value.ty)?;
        // SAFETY: there are as many indices as dimensions, and the element is of its type.
        let (index, element) = unsafe { (part(index, value.shape.len()), read(ty, element)?) };
        program.values().set(value, index, &element)
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, replace) }
}

/// Creates an array of elements that are not scalars; the elements are handles.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_new_opaque_array(
    context: *const Context,
    result: *mut *mut Held,
    ty: usize,
    elements: *const *const Held,
    shape: *const i64,
) -> c_int {
    let collect = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        let ty = TypeRef::Named(ty);
        // SAFETY: there are as many sizes as dimensions.
        let shape = unsafe { part(shape, rank(&program.interface, ty)) };
        let count = element_count(shape).ok_or_else(|| misuse("the sizes are negative or too large"))?;
        if count > 0 {
            not_null(elements, "the elements of the array")?;
        }
        // SAFETY: there are as many elements as the sizes say, and each is the caller's handle.
        let elements =
            unsafe { part(elements, count as usize) }.iter().map(|&element| unsafe { held(element) });
        let array = program.values().array(ty, shape, &elements.collect::<Result<Vec<&Held>, _>>()?)?;
        // SAFETY: the result has room for a handle.
        unsafe { write(array, result.cast()) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, collect) }
}

/// Returns the only leaf of an array of scalars.
fn only_array<'v>(program: &Program, value: &'v Held) -> Result<&'v Array, Problem> {
    program.values().usable(value)?;
    match value.leaves.as_slice() {
        [Value::Array { array, .. }] => Ok(array),
        _ => Err(misuse("the value is no array of scalars")),
    }
}
