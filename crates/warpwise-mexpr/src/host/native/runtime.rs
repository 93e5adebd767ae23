//! The run time of native code: functions in a table, which the code finds through its context.
//!
//! A value is passed as its tag and its number or address, or lies in memory in the machine's representation. Each function
//! documents whether it takes ownership of its arguments.

use std::ffi::c_void;

use crate::builtins::{ALL, Builtin};

use super::super::budget;
use super::super::builtins;
use super::super::items::Items;
use super::super::object::{self, Head, Object};
use super::super::seq::Seq;
use super::super::value::{Value, tags};
use super::text::context::FULL;
use super::words;

/// The functions of the run time, in order.
#[repr(C)]
pub(super) struct Table {
    take: unsafe extern "C" fn(u64, *mut u64) -> *mut Head,
    bury: unsafe extern "C" fn(*mut Head),
    retain: unsafe extern "C" fn(u64, u64),
    release: unsafe extern "C" fn(u64, u64),
    update: unsafe extern "C" fn(*mut Head, u64, u64, u64) -> *mut Head,
    builtin: unsafe extern "C" fn(u64, *mut Value, u64) -> u64,
    item: unsafe extern "C" fn(u64, u64, *mut Value) -> u64,
    middle: unsafe extern "C" fn(u64, u64, u64) -> u64,
    sequence: unsafe extern "C" fn(*mut Value, u64, *mut u64) -> u64,
    items: extern "C" fn() -> *mut Items,
    push: unsafe extern "C" fn(*mut Items, u64, u64) -> u64,
    finish: unsafe extern "C" fn(*mut Items, u64) -> u64,
}

/// A function of the table, by its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Helper {
    Take,
    Bury,
    Retain,
    Release,
    Update,
    Builtin,
    Item,
    Middle,
    Sequence,
    Items,
    Push,
    Finish,
}

static TABLE: Table = Table {
    take,
    bury: object::bury,
    retain,
    release,
    update,
    builtin,
    item,
    middle,
    sequence,
    items,
    push,
    finish,
};

/// The functions that native code calls to work with values.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// The table of functions.
    pub table: *const c_void,
    /// The free blocks of this thread.
    pub heap: *const c_void,
}

/// Returns the run time of this thread.
pub fn runtime() -> Runtime {
    Runtime { table: std::ptr::from_ref(&TABLE).cast(), heap: object::heap().cast() }
}

/// Takes a block for `n` values from its free list, or allocates it if the list is empty. If memory has run out, marks the
/// context.
unsafe extern "C" fn take(n: u64, context: *mut u64) -> *mut Head {
    // SAFETY: `context` is the context of the call.
    unsafe { charge(object::taken(n as usize), context) };
    object::take(n as usize)
}

/// Charges bytes; if they are not available, native code gives up at its next check of the stack.
///
/// # Safety
/// `context` is the address of a context, which begins with the limit of the stack.
unsafe fn charge(bytes: usize, context: *mut u64) {
    if !budget::charge(bytes) {
        // SAFETY: guaranteed by the caller.
        unsafe { context.write(FULL) };
    }
}

/// Adds an owner to a value.
unsafe extern "C" fn retain(tag: u64, bits: u64) {
    // SAFETY: such a value exists. The copy belongs to the new owner, and the original stays with its owner.
    unsafe {
        let value = std::mem::ManuallyDrop::new(words::value(tag as u8, bits));
        std::mem::forget(Value::clone(&value));
    }
}

/// Removes an owner of a value.
unsafe extern "C" fn release(tag: u64, bits: u64) {
    // SAFETY: such a value exists, and its owner gives it up.
    drop(unsafe { words::value(tag as u8, bits) });
}

/// Replaces a field of a record. Takes ownership of both arguments; the caller owns the result.
unsafe extern "C" fn update(record: *mut Head, field: u64, tag: u64, bits: u64) -> *mut Head {
    // SAFETY: the caller passes a record and a value, and gives up their ownership.
    let (mut record, value) = unsafe { (Object::from_raw(record), words::value(tag as u8, bits)) };
    if let Some(place) = record.fields_mut().get_mut(field as usize) {
        *place = value;
    }
    record.into_raw()
}

/// Runs a built-in on `n` arguments, which it owns, and writes the result over the first one. Returns whether there is a result.
unsafe extern "C" fn builtin(number: u64, values: *mut Value, n: u64) -> u64 {
    // SAFETY: `n` values lie there and are given up; the two that are joined are moved out.
    unsafe {
        if n == 2
            && budget::charge(budget::CALL)
            && let Some(joined) = joined(ALL[number as usize], values)
        {
            values.write(joined);
            return 1;
        }
    }
    // SAFETY: `n` values lie there and are given up.
    let arguments = (0..n as usize).map(|index| unsafe { values.add(index).read() }).collect();
    match builtins::without_effects(ALL[number as usize], arguments) {
        Some(value) => {
            // SAFETY: the place exists even if there were no values, and its content has been moved out.
            unsafe { values.write(value) };
            1
        }
        None => 0,
    }
}

/// Runs a built-in that extends a sequence, without a detour. Returns `None`, and moves nothing, for another built-in, for lists,
/// and if the sequence would become too long.
///
/// # Safety
/// Two values lie at `values`.
unsafe fn joined(builtin: Builtin, values: *mut Value) -> Option<Value> {
    // SAFETY: guaranteed by the caller. A value is read, and so moved out, only if there is a result.
    unsafe {
        let (first, second) = (values, values.add(1));
        match (builtin, &*first, &*second) {
            (Builtin::Snoc, Value::Seq(seq), _) if seq.has_room_for(1) => match first.read() {
                Value::Seq(seq) => Some(Value::Seq(seq.snoc(second.read()))),
                _ => unreachable!("it is a sequence"),
            },
            (Builtin::Cons, _, Value::Seq(seq)) if seq.has_room_for(1) => match second.read() {
                Value::Seq(seq) => Some(Value::Seq(seq.cons(first.read()))),
                _ => unreachable!("it is a sequence"),
            },
            (Builtin::Concat, Value::Seq(left), Value::Seq(right))
                if !left.is_list() && !right.is_list() && left.has_room_for(right.len()) =>
            {
                match (first.read(), second.read()) {
                    (Value::Seq(left), Value::Seq(right)) => Some(Value::Seq(left.concat(right))),
                    _ => unreachable!("they are sequences"),
                }
            }
            _ => None,
        }
    }
}

/// Applies `look` to a sequence.
unsafe fn with_seq<T>(bits: u64, look: impl FnOnce(&Seq) -> T) -> T {
    // SAFETY: `bits` is the address in a sequence, whose owner keeps it.
    let value = std::mem::ManuallyDrop::new(unsafe { words::value(tags::SEQ, bits) });
    match &*value {
        Value::Seq(seq) => look(seq),
        _ => unreachable!("it was made a sequence"),
    }
}

fn address(seq: Seq) -> u64 {
    words::bits(Value::Seq(seq))
}

/// Returns the offset of the length from the address in a sequence, in bytes.
pub(super) fn length_at() -> usize {
    let seq = Seq::from(vec![Value::Unit]);
    let place = seq.place_of_length().addr();
    let bits = address(seq);
    // SAFETY: the sequence was given up just now.
    unsafe { release(tags::SEQ.into(), bits) };
    place - bits as usize
}

/// Reads an element of a sequence that it does not own; the caller owns the element. Returns whether the element exists.
unsafe extern "C" fn item(seq: u64, index: u64, to: *mut Value) -> u64 {
    // SAFETY: guaranteed by the caller; the place is free.
    unsafe {
        match with_seq(seq, |seq| seq.get(index as usize)) {
            Some(value) => {
                to.write(value);
                1
            }
            None => 0,
        }
    }
}

/// Takes a sequence, which it owns, without `front` and `back` elements at its ends; the caller owns the result.
unsafe extern "C" fn middle(seq: u64, front: u64, back: u64) -> u64 {
    // SAFETY: `seq` is the address in a sequence, whose owner gives it up.
    let Value::Seq(seq) = (unsafe { words::value(tags::SEQ, seq) }) else {
        unreachable!("it was made a sequence")
    };
    let length = seq.len().saturating_sub((front + back) as usize);
    address(seq.into_part(front as usize, length))
}

/// Makes a sequence of `n` values, which it owns; the caller owns the sequence.
unsafe extern "C" fn sequence(values: *mut Value, n: u64, context: *mut u64) -> u64 {
    // SAFETY: `context` is the context of the call.
    unsafe { charge(budget::CALL, context) };
    // SAFETY: `n` values lie there and are given up.
    let values: Vec<Value> = (0..n as usize).map(|index| unsafe { values.add(index).read() }).collect();
    address(values.into())
}

/// Allocates an empty list of elements.
extern "C" fn items() -> *mut Items {
    Box::into_raw(Box::default())
}

/// Adds an element, which it owns; returns whether there was memory for it.
unsafe extern "C" fn push(items: *mut Items, tag: u64, bits: u64) -> u64 {
    // SAFETY: `items` comes from the function `items`, and such a value exists.
    let (items, value) = unsafe { (&mut *items, words::value(tag as u8, bits)) };
    let growth = items.growth();
    if growth > 0 && !budget::charge(growth) {
        return 0;
    }
    items.push(value);
    1
}

/// Makes a sequence, or a list, of the added elements.
unsafe extern "C" fn finish(items: *mut Items, is_list: u64) -> u64 {
    // SAFETY: `items` comes from the function `items`, and is not used again.
    let items = *unsafe { Box::from_raw(items) };
    address(if is_list == 1 { Seq::list(items) } else { Seq::of(items) })
}

/// Returns the kind of the result of a built-in on shared values that has no effects.
pub(super) fn given(builtin: Builtin) -> Option<super::Kind> {
    use super::Kind;
    use Builtin as B;
    Some(match builtin {
        B::Length | B::TensorRank => Kind::INT,
        B::Null | B::IsList | B::IsRope | B::StringIsFloat => Kind::BOOL,
        B::StringToFloat => Kind::FLOAT,
        B::Concat
        | B::Cons
        | B::Snoc
        | B::Reverse
        | B::Tail
        | B::Subsequence
        | B::Set
        | B::Flatten
        | B::FloatToString
        | B::TensorShape => Kind::SEQ,
        B::Get | B::Head | B::TensorGet | B::TensorLinearGet => Kind::Any,
        _ => return None,
    })
}
