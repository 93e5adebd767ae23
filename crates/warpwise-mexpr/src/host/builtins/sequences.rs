//! Built-ins on sequences.

use crate::builtins::Builtin;

use super::super::items::Items;
use super::super::loops::{Loop, Over};
use super::super::seq::{LONGEST, Seq};
use super::super::value::Value;
use super::{Given, Stop, Taken};

/// Runs a built-in on sequences; returns `None` for other built-ins.
pub(super) fn run(builtin: Builtin, arguments: &mut Taken) -> Result<Option<Given>, Stop> {
    if let Some(over) = over(builtin) {
        return start(over, builtin, arguments).map(Some);
    }
    let value = match builtin {
        Builtin::IsList => Value::Bool(arguments.seq()?.is_list()),
        Builtin::IsRope => Value::Bool(!arguments.seq()?.is_list()),
        Builtin::Length => Value::Int(arguments.seq()?.len() as i64),
        Builtin::Null => Value::Bool(arguments.seq()?.is_empty()),
        Builtin::Concat => {
            let (first, second) = (arguments.seq()?, arguments.seq()?);
            room(&first, second.len())?;
            if first.is_list() || second.is_list() {
                let mut items = Items::default();
                first.iter().chain(second.iter()).for_each(|value| items.push(value));
                Value::Seq(Seq::list(items))
            } else {
                Value::Seq(first.concat(second))
            }
        }
        Builtin::Get => {
            let (seq, index) = (arguments.seq()?, arguments.int()?);
            let found = usize::try_from(index).ok().and_then(|index| seq.get(index));
            found.ok_or_else(|| outside(index, seq.len()))?
        }
        Builtin::Set => {
            let (seq, index, value) = (arguments.seq()?, arguments.int()?, arguments.value()?);
            let place = usize::try_from(index).ok().filter(|index| *index < seq.len());
            let place = place.ok_or_else(|| outside(index, seq.len()))?;
            Value::Seq(seq.set(place, value))
        }
        Builtin::Cons => {
            let (value, seq) = (arguments.value()?, arguments.seq()?);
            room(&seq, 1)?;
            Value::Seq(seq.cons(value))
        }
        Builtin::Snoc => {
            let seq = arguments.seq()?;
            room(&seq, 1)?;
            Value::Seq(seq.snoc(arguments.value()?))
        }
        Builtin::Reverse => {
            let mut values: Vec<Value> = arguments.seq()?.iter().collect();
            values.reverse();
            Value::Seq(values.into())
        }
        Builtin::Head => {
            let first = arguments.seq()?.get(0);
            first.ok_or_else(|| Stop::Fault("the empty sequence has no head".to_string()))?
        }
        Builtin::Tail => match arguments.seq()? {
            seq if seq.is_empty() => return Err(Stop::Fault("the empty sequence has no tail".to_string())),
            seq => {
                let length = seq.len() - 1;
                Value::Seq(seq.into_part(1, length))
            }
        },
        Builtin::Subsequence => {
            let (seq, start, length) = (arguments.seq()?, arguments.int()?, arguments.int()?);
            let (Ok(from), Ok(count)) = (usize::try_from(start), usize::try_from(length)) else {
                return Err(Stop::Fault(format!(
                    "there is no part of {length} elements from index {start} on"
                )));
            };
            Value::Seq(seq.into_part(from, count))
        }
        Builtin::Flatten => {
            let parts = arguments.seq()?;
            let part = |value: Value| match value {
                Value::Seq(part) => Ok(part),
                _ => Err(arguments.wrong()),
            };
            let mut joined = Seq::EMPTY;
            for part in parts.iter().map(part) {
                let part = part?;
                room(&joined, part.len())?;
                joined = joined.concat(part);
            }
            Value::Seq(joined)
        }
        _ => return Ok(None),
    };
    Ok(Some(Given::Value(value)))
}

/// Fails if a sequence would become too long.
fn room(seq: &Seq, more: usize) -> Result<(), Stop> {
    if seq.has_room_for(more) {
        return Ok(());
    }
    let length = seq.len() + more;
    Err(Stop::Fault(format!("a sequence of {length} elements is too long: at most {LONGEST} are possible")))
}

fn outside(index: i64, length: usize) -> Stop {
    Stop::Fault(format!("Index {index} out of bounds for a sequence of length {length}"))
}

fn over(builtin: Builtin) -> Option<Over> {
    Some(match builtin {
        Builtin::Map | Builtin::ParallelMap => Over::Map,
        Builtin::Mapi => Over::Mapi,
        Builtin::Iter => Over::Iter,
        Builtin::Iteri => Over::Iteri,
        Builtin::Foldl | Builtin::Reduce => Over::Foldl,
        Builtin::Foldr => Over::Foldr,
        Builtin::Map2 => Over::Map2,
        Builtin::Create | Builtin::CreateRope => Over::Create { list: false },
        Builtin::CreateList => Over::Create { list: true },
        Builtin::Loop | Builtin::SeqLoop => Over::Times,
        Builtin::SeqLoopAcc => Over::TimesWith,
        _ => return None,
    })
}

fn start(over: Over, builtin: Builtin, arguments: &mut Taken) -> Result<Given, Stop> {
    let mut it = Loop::new(over, builtin);
    match over {
        Over::Map | Over::Mapi | Over::Iter | Over::Iteri => {
            it.function = arguments.value()?;
            it.source = arguments.seq()?;
            it.n = it.source.len();
        }
        Over::Foldl | Over::Foldr => {
            it.function = arguments.value()?;
            it.state = arguments.value()?;
            it.source = arguments.seq()?;
            it.n = it.source.len();
        }
        Over::Map2 => {
            it.function = arguments.value()?;
            it.source = arguments.seq()?;
            it.second = arguments.seq()?;
            it.n = it.source.len().min(it.second.len());
        }
        Over::Create { .. } | Over::Times => {
            it.n = count(arguments.int()?, builtin)?;
            it.function = arguments.value()?;
        }
        Over::TimesWith => {
            it.state = arguments.value()?;
            it.n = count(arguments.int()?, builtin)?;
            it.function = arguments.value()?;
        }
        Over::Tensor | Over::Slices | Over::Equal | Over::Text => return Err(arguments.wrong()),
    }
    Ok(Given::Loop(Box::new(it)))
}

/// Returns a number of repetitions: loops treat a negative number as 0, other built-ins refuse it.
fn count(n: i64, builtin: Builtin) -> Result<usize, Stop> {
    match usize::try_from(n) {
        Ok(n) => Ok(n),
        Err(_) if matches!(builtin, Builtin::Loop | Builtin::SeqLoop | Builtin::SeqLoopAcc) => Ok(0),
        Err(_) => Err(Stop::Fault(format!("a sequence cannot have {n} elements"))),
    }
}
