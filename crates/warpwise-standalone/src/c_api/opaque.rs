//! Functions for records, sums and arrays of them, and for values as bytes.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::Context;
use super::context::{held, make, not_null, warpwise_call, with};
use super::values::{read, warpwise_free, write};
use crate::abi::part;
use crate::interface::{Kind, TypeRef};
use crate::program::Program;
use crate::transfer::{read_stored, write_held};
use crate::value::{Held, Problem, misuse};

/// Returns a field of a record, or the array of that field of an array of records.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_project(
    context: *const Context,
    result: *mut u8,
    value: *const Held,
    field: usize,
) -> c_int {
    let project = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        // SAFETY: the caller's handle is valid.
        let part = program.values().project(unsafe { held(value) }?, field)?;
        // SAFETY: the result has room for such a value.
        unsafe { write(part, result) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, project) }
}

/// Does the same as [`warpwise_call`] for an entry point whose result is a tuple of `count` parts: each part has its own place in
/// `results`.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_call_apart(
    context: *const Context,
    entry: usize,
    count: usize,
    results: *const *mut u8,
    arguments: *const *mut u8,
) -> c_int {
    let check = |_: &Context, _: &Program| {
        // SAFETY: there are as many places as parts.
        let places = unsafe { part(results, count) };
        places.iter().try_for_each(|&place| not_null(place, "the place of a result"))
    };
    // SAFETY: the caller's handle is valid.
    let status = unsafe { with(context, check) };
    if status != 0 {
        return status;
    }
    let mut tuple: *mut Held = ptr::null_mut();
    // SAFETY: the caller's handles are valid; a tuple is written as a handle.
    let status = unsafe { warpwise_call(context, entry, (&raw mut tuple).cast(), arguments) };
    if status != 0 {
        return status;
    }
    // SAFETY: the call returned this tuple, which nobody else knows, and there are as many places as parts.
    unsafe {
        let places = part(results, count).iter().enumerate();
        let failed = places
            .map(|(field, &place)| warpwise_project(context, place, tuple, field))
            .find(|&status| status != 0);
        warpwise_free(context, tuple);
        failed.unwrap_or(0)
    }
}

/// Creates a record from its fields, or an array of records from the fields' arrays. Parts are handles, or addresses of scalars.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_assemble(
    context: *const Context,
    result: *mut *mut Held,
    ty: usize,
    parts: *const *const u8,
) -> c_int {
    let assemble = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        let types: Vec<TypeRef> = match &program.interface.types[ty].kind {
            Kind::Record(fields) | Kind::OpaqueArray { fields: Some(fields), .. } => {
                fields.iter().map(|field| field.ty).collect()
            }
            Kind::OpaqueArray { .. } | Kind::Sum(_) | Kind::Array { .. } => {
                return Err(misuse("not a record type"));
            }
        };
        // SAFETY: there are as many parts as fields.
        let held = unsafe { read_all(&types, parts) }?;
        let value = program.values().assemble(TypeRef::Named(ty), &held.iter().collect::<Vec<_>>())?;
        // SAFETY: the result has room for a handle.
        unsafe { write(value, result.cast()) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, assemble) }
}

/// Returns the number of a sum value's variant; -1 on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_variant(context: *const Context, value: *const Held) -> c_int {
    let mut variant = -1;
    let find = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle is valid.
        variant = program.values().variant(unsafe { held(value) }?)? as c_int;
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, find) };
    variant
}

/// Creates a sum value of a variant that carries these parts.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_construct(
    context: *const Context,
    result: *mut *mut Held,
    ty: usize,
    variant: usize,
    parts: *const *const u8,
) -> c_int {
    let construct = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        let Kind::Sum(variants) = &program.interface.types[ty].kind else {
            return Err(misuse("not a sum type"));
        };
        let types: Vec<TypeRef> = variants[variant].payload.iter().map(|(ty, _)| *ty).collect();
        // SAFETY: there are as many parts as the variant carries.
        let held = unsafe { read_all(&types, parts) }?;
        let values = held.iter().collect::<Vec<_>>();
        let value = program.values().construct(TypeRef::Named(ty), variant, &values)?;
        // SAFETY: the result has room for a handle.
        unsafe { write(value, result.cast()) };
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, construct) }
}

/// Writes the values that a variant carries to these places.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_destruct(
    context: *const Context,
    results: *const *mut u8,
    value: *const Held,
    variant: usize,
) -> c_int {
    let destruct = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle is valid.
        let payload = program.values().destruct(unsafe { held(value) }?, variant)?;
        // SAFETY: there are as many places as the variant carries.
        let results = unsafe { part(results, payload.len()) };
        results.iter().try_for_each(|&result| not_null(result, "the place of a result"))?;
        for (value, &result) in payload.into_iter().zip(results) {
            // SAFETY: the result has room for such a value.
            unsafe { write(value, result) };
        }
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, destruct) }
}

/// Encodes a value as the bytes that a server stores in a file. Writes their number to `count`, and unless `place` is null the bytes to `*place`, or if that is null to
/// new memory that C must free.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_store(
    context: *const Context,
    value: *const Held,
    place: *mut *mut c_void,
    count: *mut usize,
) -> c_int {
    let store = |_: &Context, program: &Program| {
        not_null(count, "the place of the number of bytes")?;
        // SAFETY: the caller's handle is valid.
        let value = unsafe { held(value) }?;
        program.values().usable(value)?;
        let mut bytes = Vec::new();
        write_held(&mut bytes, value).map_err(|error| Problem::Other(error.to_string()))?;
        // SAFETY: the caller's pointers are valid; the memory at `*place`, unless null, has room for the bytes.
        unsafe {
            *count = bytes.len();
            if place.is_null() {
                return Ok(());
            }
            if (*place).is_null() {
                *place = libc::malloc(bytes.len().max(1));
                if (*place).is_null() {
                    return Err(Problem::Memory("out of memory".to_string()));
                }
            }
            ptr::copy_nonoverlapping(bytes.as_ptr(), (*place).cast(), bytes.len());
        }
        Ok(())
    };
    // SAFETY: the caller's handle is valid.
    unsafe { with(context, store) }
}

/// Decodes a value from bytes. Bytes of a value of another type are an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_restore(context: *const Context, ty: usize, bytes: *const u8) -> *mut Held {
    let restore = |program: &Program| {
        not_null(bytes, "the place of the bytes")?;
        // SAFETY: `warpwise_store` wrote the bytes.
        unsafe { read_stored(program, TypeRef::Named(ty), bytes) }
    };
    // SAFETY: the caller's handle is valid.
    unsafe { make(context, restore) }
}

/// Reads the scalars and handles at these places.
///
/// # Safety
/// There are as many places as types, and each is the address of a scalar of its type, or a handle.
unsafe fn read_all(types: &[TypeRef], places: *const *const u8) -> Result<Vec<Held>, Problem> {
    // SAFETY: guaranteed by the caller.
    let places = unsafe { part(places, types.len()) };
    // SAFETY: guaranteed by the caller.
    types.iter().zip(places).map(|(&ty, &place)| unsafe { read(ty, place) }).collect()
}
