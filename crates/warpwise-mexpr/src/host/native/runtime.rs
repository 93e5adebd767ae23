//! The run time of native code: functions in a table, which it finds through its context.
//!
//! A value is handed over as what it is and its number or address, or lies in memory as the machine has it. Whether a function
//! owns what it is given is said at each.

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

/// The functions in their order.
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

/// A function of the table, by its place.
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
    /// The functions that it calls.
    pub table: *const c_void,
    /// The free blocks of this thread.
    pub heap: *const c_void,
}

/// Returns the run time of this thread.
pub fn runtime() -> Runtime {
    Runtime { table: std::ptr::from_ref(&TABLE).cast(), heap: object::heap().cast() }
}

/// A block for so many values, taken from its list when that may be empty. Where memory is out the context is told so.
unsafe extern "C" fn take(n: u64, context: *mut u64) -> *mut Head {
    // SAFETY: it is the context of the call.
    unsafe { charge(object::taken(n as usize), context) };
    object::take(n as usize)
}

/// Charges bytes; where there are not so many, native code gives up when it looks at its stack the next time.
///
/// # Safety
/// It is the address of a context, which begins with the limit of the stack.
unsafe fn charge(bytes: usize, context: *mut u64) {
    if !budget::charge(bytes) {
        // SAFETY: so says whoever calls this.
        unsafe { context.write(FULL) };
    }
}

/// One more owner.
unsafe extern "C" fn retain(tag: u64, bits: u64) {
    // SAFETY: there is such a value; the copy is the new owner's, and the first stays its owner's.
    unsafe {
        let value = std::mem::ManuallyDrop::new(words::value(tag as u8, bits));
        std::mem::forget(Value::clone(&value));
    }
}

/// One owner less.
unsafe extern "C" fn release(tag: u64, bits: u64) {
    // SAFETY: there is such a value, and its owner hands it over.
    drop(unsafe { words::value(tag as u8, bits) });
}

/// A record with another field; owns both, and gives a record that the caller owns.
unsafe extern "C" fn update(record: *mut Head, field: u64, tag: u64, bits: u64) -> *mut Head {
    // SAFETY: they are what they are said to be, and handed over.
    let (mut record, value) = unsafe { (Object::from_raw(record), words::value(tag as u8, bits)) };
    if let Some(place) = record.fields_mut().get_mut(field as usize) {
        *place = value;
    }
    record.into_raw()
}

/// Runs a built-in on `n` arguments, which it owns; its value is written where the first was. Whether there is one.
unsafe extern "C" fn builtin(number: u64, values: *mut Value, n: u64) -> u64 {
    // SAFETY: so many values lie there, handed over; what is joined is moved away.
    unsafe {
        if n == 2
            && budget::charge(budget::CALL)
            && let Some(joined) = joined(ALL[number as usize], values)
        {
            values.write(joined);
            return 1;
        }
    }
    // SAFETY: so many values lie there, handed over.
    let arguments = (0..n as usize).map(|index| unsafe { values.add(index).read() }).collect();
    match builtins::without_effects(ALL[number as usize], arguments) {
        Some(value) => {
            // SAFETY: the place is there also if there were no values, and what it held is moved away.
            unsafe { values.write(value) };
            1
        }
        None => 0,
    }
}

/// What built-ins that make sequences longer give, without a detour; nothing, and nothing is moved, if it is another,
/// concerns lists, or the sequence would be too long.
///
/// # Safety
/// Two values lie there.
unsafe fn joined(builtin: Builtin, values: *mut Value) -> Option<Value> {
    // SAFETY: so says whoever calls this; each value is read, and so moved, only where one is given.
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

/// Looks at a sequence.
unsafe fn with_seq<T>(bits: u64, look: impl FnOnce(&Seq) -> T) -> T {
    // SAFETY: it is the address in a sequence, whose owner keeps it.
    let value = std::mem::ManuallyDrop::new(unsafe { words::value(tags::SEQ, bits) });
    match &*value {
        Value::Seq(seq) => look(seq),
        _ => unreachable!("it was made a sequence"),
    }
}

fn address(seq: Seq) -> u64 {
    words::bits(Value::Seq(seq))
}

/// How many bytes behind the address in a sequence its length lies.
pub(super) fn length_at() -> usize {
    let seq = Seq::from(vec![Value::Unit]);
    let place = seq.place_of_length().addr();
    let bits = address(seq);
    // SAFETY: it was handed over just now.
    unsafe { release(tags::SEQ.into(), bits) };
    place - bits as usize
}

/// An element of a sequence that it does not own, for the caller to own; whether there is one.
unsafe extern "C" fn item(seq: u64, index: u64, to: *mut Value) -> u64 {
    // SAFETY: so says whoever calls this; the place is free.
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

/// A sequence, which it owns, without so many elements at its ends; the caller owns that.
unsafe extern "C" fn middle(seq: u64, front: u64, back: u64) -> u64 {
    // SAFETY: it is the address in a sequence, handed over.
    let Value::Seq(seq) = (unsafe { words::value(tags::SEQ, seq) }) else {
        unreachable!("it was made a sequence")
    };
    let length = seq.len().saturating_sub((front + back) as usize);
    address(seq.into_part(front as usize, length))
}

/// A sequence of values, which it owns; the caller owns the sequence.
unsafe extern "C" fn sequence(values: *mut Value, n: u64, context: *mut u64) -> u64 {
    // SAFETY: it is the context of the call.
    unsafe { charge(budget::CALL, context) };
    // SAFETY: so many values lie there, handed over.
    let values: Vec<Value> = (0..n as usize).map(|index| unsafe { values.add(index).read() }).collect();
    address(values.into())
}

/// Room for elements that are still to come.
extern "C" fn items() -> *mut Items {
    Box::into_raw(Box::default())
}

/// Adds an element, which it owns; whether there was memory for it.
unsafe extern "C" fn push(items: *mut Items, tag: u64, bits: u64) -> u64 {
    // SAFETY: it is what `items` gave, and there is such a value.
    let (items, value) = unsafe { (&mut *items, words::value(tag as u8, bits)) };
    let growth = items.growth();
    if growth > 0 && !budget::charge(growth) {
        return 0;
    }
    items.push(value);
    1
}

/// The sequence, or list, of what was added.
unsafe extern "C" fn finish(items: *mut Items, is_list: u64) -> u64 {
    // SAFETY: it is what `items` gave, and not used any more.
    let items = *unsafe { Box::from_raw(items) };
    address(if is_list == 1 { Seq::list(items) } else { Seq::of(items) })
}

/// Built-ins of shared values that have no effects, and what they give.
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
