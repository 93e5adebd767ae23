//! Records, sums and arrays of them; values as bytes.

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::ptr;

use super::Context;
use super::context::{held, make, not_null, warpwise_call, with};
use super::values::{read, warpwise_free, write};
use crate::abi::part;
use crate::interface::{Kind, TypeRef};
use crate::program::Program;
use crate::value::{Held, Problem, misuse};

/// What values as bytes begin with; then the number of bytes that follow.
const MARK: &[u8; 8] = b"warpwise";
const HEADER: usize = MARK.len() + size_of::<u64>();

/// The field of a record, or the array of the fields of an array of records.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_project(
    context: *const Context,
    result: *mut u8,
    value: *const Held,
    field: usize,
) -> c_int {
    let project = |_: &Context, program: &Program| {
        not_null(result, "the place of the result")?;
        // SAFETY: the caller's handle.
        let part = program.values().project(unsafe { held(value) }?, field)?;
        // SAFETY: the result is where such a value goes.
        unsafe { write(part, result) };
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, project) }
}

/// As [`warpwise_call`], for an entry point whose result is a tuple of so many parts: each part has a place of its own.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_call_apart(
    context: *const Context,
    entry: usize,
    count: usize,
    results: *const *mut u8,
    arguments: *const *mut u8,
) -> c_int {
    let mut tuple: *mut Held = ptr::null_mut();
    // SAFETY: the caller's handles; a tuple goes where a handle does.
    let status = unsafe { warpwise_call(context, entry, (&raw mut tuple).cast(), arguments) };
    if status != 0 {
        return status;
    }
    // SAFETY: the call gave this tuple, which nobody else knows, and there are as many places as parts.
    unsafe {
        let places = part(results, count).iter().enumerate();
        let failed = places
            .map(|(field, &place)| warpwise_project(context, place, tuple, field))
            .find(|&status| status != 0);
        warpwise_free(context, tuple);
        failed.unwrap_or(0)
    }
}

/// The record of fields, or the array of records of arrays: handles, or where scalars lie.
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
        // SAFETY: the result is where a handle goes.
        unsafe { write(value, result.cast()) };
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, assemble) }
}

/// The number of a sum's variant; -1 of a value that is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_variant(context: *const Context, value: *const Held) -> c_int {
    let mut variant = -1;
    let find = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle.
        variant = program.values().variant(unsafe { held(value) }?)? as c_int;
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, find) };
    variant
}

/// The value of a variant that carries these.
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
        // SAFETY: the result is where a handle goes.
        unsafe { write(value, result.cast()) };
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, construct) }
}

/// Puts what a variant carries to these places.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_destruct(
    context: *const Context,
    results: *const *mut u8,
    value: *const Held,
    variant: usize,
) -> c_int {
    let destruct = |_: &Context, program: &Program| {
        // SAFETY: the caller's handle.
        let payload = program.values().destruct(unsafe { held(value) }?, variant)?;
        // SAFETY: there are as many places as the variant carries.
        let results = unsafe { part(results, payload.len()) };
        results.iter().try_for_each(|&result| not_null(result, "the place of a result"))?;
        for (value, &result) in payload.into_iter().zip(results) {
            // SAFETY: the result is where such a value goes.
            unsafe { write(value, result) };
        }
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, destruct) }
}

/// A value as bytes: their number, and where asked for the bytes, in memory that is there or that C is to free.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_store(
    context: *const Context,
    value: *const Held,
    place: *mut *mut c_void,
    count: *mut usize,
) -> c_int {
    let store = |_: &Context, program: &Program| {
        not_null(count, "the place of the number of bytes")?;
        // SAFETY: the caller's handle.
        let value = unsafe { held(value) }?;
        program.values().usable(value)?;
        let bytes = to_bytes(value)?;
        // SAFETY: the caller's places; what is at `*place`, unless null, has room for so many bytes.
        unsafe {
            *count = bytes.len();
            if place.is_null() {
                return Ok(());
            }
            if (*place).is_null() {
                *place = libc::malloc(bytes.len());
                if (*place).is_null() {
                    return Err(Problem::Memory("out of memory".to_string()));
                }
            }
            ptr::copy_nonoverlapping(bytes.as_ptr(), (*place).cast(), bytes.len());
        }
        Ok(())
    };
    // SAFETY: the caller's handle.
    unsafe { with(context, store) }
}

/// The value that was made bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_restore(context: *const Context, ty: usize, bytes: *const u8) -> *mut Held {
    let restore = |program: &Program| {
        not_null(bytes, "the place of the bytes")?;
        // SAFETY: the bytes are those that `warpwise_store` wrote, so that the header is there.
        let header = unsafe { part(bytes, HEADER) };
        let length =
            header.get(MARK.len()..).and_then(|length| length.try_into().ok()).map(u64::from_le_bytes);
        let Some(length) = length.filter(|_| header.starts_with(MARK)) else {
            return Err(misuse("these bytes are no value"));
        };
        // SAFETY: so many follow.
        let rest = unsafe { part(bytes.add(HEADER), length as usize) };
        crate::transfer::read_held(program, TypeRef::Named(ty), "bytes", rest)
    };
    // SAFETY: the caller's handle.
    unsafe { make(context, restore) }
}

fn to_bytes(value: &Held) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    crate::transfer::write_held(&mut body, value).map_err(|error| Problem::Other(error.to_string()))?;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.write_all(&body).map_err(|error| Problem::Other(error.to_string()))?;
    Ok(bytes)
}

/// The scalars and handles at these places.
///
/// # Safety
/// There are as many places as types, and at each such a scalar, or it is a handle.
unsafe fn read_all(types: &[TypeRef], places: *const *const u8) -> Result<Vec<Held>, Problem> {
    // SAFETY: as the caller vouches.
    let places = unsafe { part(places, types.len()) };
    // SAFETY: as the caller vouches.
    types.iter().zip(places).map(|(&ty, &place)| unsafe { read(ty, place) }).collect()
}
