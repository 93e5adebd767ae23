//! Construction and type checking of nodes.
//!
//! Rust's types prevent ill-typed nodes in all surface programs, apart from conversions between bits of different widths. A bug
//! in this crate, or in a hand-written `Elt`, is reported at the line that makes the node.

use std::panic::Location;
use std::rc::Rc;

use smallvec::SmallVec;
use warpwise_prim::{ScalarType, ValueType};

use super::{ArrayTy, Axis, Components, Fold, Function, Node, Op, Ref, Ty, fresh_id, invalid, table};

/// Makes a node of this type, or an [`Op::Invalid`] node with the reason.
#[track_caller]
pub(crate) fn node(op: Op, inputs: Vec<Ref>, functions: Vec<Function>, ty: Ty) -> Ref {
    let place = Location::caller();
    if let Op::Use(array) = &op {
        table::count_bytes(array.columns.iter().map(|column| column.data().bytes()).sum());
    }
    match check(&op, &inputs, &functions, &ty) {
        Ok(()) => Rc::new(Node { id: fresh_id(), op, inputs, functions, ty, place }),
        Err(reason) => invalid(reason, ty, place),
    }
}

type Checked = Result<(), String>;

fn ensure(condition: bool, reason: &str) -> Checked {
    if condition { Ok(()) } else { Err(reason.to_string()) }
}

fn check(op: &Op, inputs: &[Ref], functions: &[Function], ty: &Ty) -> Checked {
    match op {
        Op::Parameter | Op::Invalid(_) => ensure(inputs.is_empty(), "a variable has no operands"),
        Op::Use(array) => ensure(Some(array.ty()) == ty.array().cloned(), "an array of another type"),
        Op::Constant(values) => {
            let types: Vec<ScalarType> = scalars(ty)?.iter().map(|ty| ty.scalar()).collect();
            ensure(values.iter().map(|value| value.ty()).eq(types), "constants of other types")
        }
        Op::Join => {
            let mut joined = Components::new();
            for input in inputs {
                joined.extend_from_slice(scalars(&input.ty)?);
            }
            ensure(joined == *scalars(ty)?, "joined parts of other types")
        }
        Op::Part(start) => {
            let (whole, part) = (scalars(&one(inputs)?.ty)?, scalars(ty)?);
            let found = whole.get(*start..*start + part.len());
            ensure(found == Some(part.as_slice()), "a part of another type")
        }
        Op::Unary(op) => scalar_operator(inputs, 1, ty, |ty| op.accepts(ty)),
        Op::Binary(op) => scalar_operator(inputs, 2, ty, |ty| op.accepts(ty)),
        Op::Ternary(op) => scalar_operator(inputs, 3, ty, |ty| op.accepts(ty)),
        Op::Compare(op) => {
            ensure(*ty == Ty::bool(), "a comparison yields a truth value")?;
            let operand = inputs.first().ok_or("no operands")?.ty.clone();
            scalar_operator(inputs, 2, &operand, |ty| op.accepts(ty))
        }
        Op::Convert(op) => {
            let (from, to) = (single(&one(inputs)?.ty)?, single(ty)?);
            ensure(op.accepts(from.scalar(), to.scalar()), "no such conversion")
        }
        Op::Character => {
            let code = Ty::Scalars(Components::from_elem(ValueType::U32, 1));
            ensure(one(inputs)?.ty == code && *ty == code, "a character is a code point")
        }
        Op::Choose => match inputs {
            [condition, then, otherwise] => {
                ensure(condition.ty == Ty::bool(), "a choice needs a truth value")?;
                ensure(then.ty == *ty && otherwise.ty == *ty, "a choice between different types")
            }
            _ => Err("a choice has three operands".to_string()),
        },
        Op::While => check_loop(inputs, functions, ty),
        _ => check_collective(op, inputs, functions, ty),
    }
}

fn check_loop(inputs: &[Ref], functions: &[Function], ty: &Ty) -> Checked {
    let [condition, step] = functions else { return Err("a loop has two functions".to_string()) };
    ensure(condition.result.ty == Ty::bool(), "a loop needs a truth value")?;
    ensure(step.result.ty == *ty && one(inputs)?.ty == *ty, "a loop yields what it began with")?;
    let takes = |f: &Function| f.params.len() == 1 && f.params[0].ty == *ty;
    ensure(takes(condition) && takes(step), "a loop's functions take its values")
}

/// Checks operations on arrays.
fn check_collective(op: &Op, inputs: &[Ref], functions: &[Function], ty: &Ty) -> Checked {
    match op {
        Op::At { .. } => {
            let [source, index] = two(inputs)?;
            let source = array(source)?;
            ensure(index.ty == Ty::index(source.rank), "an index of another rank")?;
            ensure(*scalars(ty)? == source.components, "an element of another type")
        }
        Op::Extents => ensure(*ty == Ty::index(array(one(inputs)?)?.rank), "extents of another rank"),
        Op::Gather => {
            let mut gathered = SmallVec::<[ArrayTy; 1]>::new();
            for input in inputs {
                gathered.push(array(input)?.clone());
            }
            ensure(*ty == Ty::Arrays(gathered), "other arrays")
        }
        Op::Group(at) => match &one(inputs)?.ty {
            Ty::Arrays(arrays) => ensure(arrays.get(*at) == Some(result(ty)?), "another array"),
            Ty::Scalars(_) => Err("no arrays".to_string()),
        },
        Op::Unit => ensure(*ty == Ty::of_array(0, scalars(&one(inputs)?.ty)?.clone()), "another element"),
        Op::Generate => {
            let result = result(ty)?;
            ensure(one(inputs)?.ty == Ty::index(result.rank), "extents of another rank")?;
            applies(functions, 0, &[&Ty::index(result.rank)], &Ty::Scalars(result.components.clone()))
        }
        Op::Map { indexed, .. } => check_map(*indexed, inputs, functions, result(ty)?),
        Op::Backpermute => {
            let [extents, source] = two(inputs)?;
            let (source, result) = (array(source)?, result(ty)?);
            ensure(extents.ty == Ty::index(result.rank), "extents of another rank")?;
            ensure(source.components == result.components, "other elements")?;
            applies(functions, 0, &[&Ty::index(result.rank)], &Ty::index(source.rank))
        }
        Op::Reshape => {
            let [extents, source] = two(inputs)?;
            ensure(extents.ty == Ty::index(result(ty)?.rank), "extents of another rank")?;
            ensure(array(source)?.components == result(ty)?.components, "other elements")
        }
        Op::Flatten => {
            let (source, result) = (array(one(inputs)?)?, result(ty)?);
            ensure(source.components == result.components && result.rank == 1, "another type")
        }
        Op::Slice(axes) => check_slice(axes, inputs, result(ty)?),
        Op::Transpose(perm) => {
            let mut sorted = perm.clone();
            sorted.sort_unstable();
            ensure(sorted.into_iter().eq(0..result(ty)?.rank), "no permutation of the dimensions")?;
            ensure(array(one(inputs)?)? == result(ty)?, "another type")
        }
        Op::Replicate(axes) => {
            let (source, result) = (array(inputs.first().ok_or("no array")?)?, result(ty)?);
            let kept = axes.iter().filter(|kept| **kept).count();
            ensure(kept == source.rank && axes.len() == result.rank, "another rank")?;
            ensure(inputs[1..].iter().all(|extent| extent.ty == Ty::index(1)), "extents are i64")?;
            ensure(inputs.len() - 1 == axes.len() - kept, "as many extents as new dimensions")?;
            ensure(source.components == result.components, "other elements")
        }
        _ => check_fold(op, inputs, functions, ty),
    }
}

fn check_map(indexed: bool, inputs: &[Ref], functions: &[Function], result: &ArrayTy) -> Checked {
    let mut takes = Vec::new();
    if indexed {
        takes.push(Ty::index(result.rank));
    }
    for input in inputs {
        let input = array(input)?;
        ensure(input.rank == result.rank, "arrays of different ranks")?;
        takes.push(Ty::Scalars(input.components.clone()));
    }
    ensure(!inputs.is_empty(), "no arrays")?;
    let takes: Vec<&Ty> = takes.iter().collect();
    applies(functions, 0, &takes, &Ty::Scalars(result.components.clone()))
}

fn check_slice(axes: &[Axis], inputs: &[Ref], result: &ArrayTy) -> Checked {
    let source = array(inputs.first().ok_or("no array")?)?;
    let operands = |axis: &Axis| match axis {
        Axis::Fixed => 1,
        Axis::Range => 2,
        Axis::Strided => 3,
        Axis::All | Axis::Reversed => 0,
    };
    let kept = axes.iter().filter(|axis| **axis != Axis::Fixed).count();
    ensure(axes.len() == source.rank && kept == result.rank, "another rank")?;
    ensure(inputs.len() - 1 == axes.iter().map(operands).sum::<usize>(), "another number of operands")?;
    ensure(inputs[1..].iter().all(|operand| operand.ty == Ty::index(1)), "operands are i64")?;
    ensure(source.components == result.components, "other elements")
}

/// Checks folds, scans and operations that move elements.
fn check_fold(op: &Op, inputs: &[Ref], functions: &[Function], ty: &Ty) -> Checked {
    match op {
        Op::Fold(fold) | Op::FoldAll(fold) | Op::Scan { fold, .. } => {
            let source = array(inputs.first().ok_or("no array")?)?;
            let element = Ty::Scalars(source.components.clone());
            let rank = match op {
                Op::FoldAll(_) if result(ty)?.rank == 0 => source.rank,
                Op::Fold(_) => result(ty)?.rank + 1,
                _ => result(ty)?.rank,
            };
            ensure(rank == source.rank && source.rank > 0, "another rank")?;
            ensure(result(ty)?.components == source.components, "other elements")?;
            ensure(inputs.len() == 1 + usize::from(*fold != Fold::First), "another number of operands")?;
            ensure(inputs[1..].iter().all(|initial| initial.ty == element), "another initial value")?;
            applies(functions, 0, &[&element, &element], &element)
        }
        Op::FoldSegments => {
            let [source, starts, lengths, initial @ ..] = inputs else {
                return Err("an array and segments".into());
            };
            let element = Ty::Scalars(array(source)?.components.clone());
            ensure(initial.len() <= 1, "another number of operands")?;
            let fits = initial.iter().all(|initial| initial.ty == element);
            ensure(array(source)? == result(ty)? && fits, "another type")?;
            ensure(starts.ty == lengths.ty && array(starts)?.rank == 1, "segments are vectors")?;
            applies(functions, 0, &[&element, &element], &element)
        }
        Op::Permute | Op::Scatter => {
            let [defaults, source] = two(inputs)?;
            let (defaults, source) = (array(defaults)?, array(source)?);
            ensure(defaults == result(ty)? && defaults.components == source.components, "other elements")?;
            let element = Ty::Scalars(source.components.clone());
            let mut place: Components = Components::from_elem(ValueType::Bool, 1);
            place.extend(std::iter::repeat_n(ValueType::I64, defaults.rank));
            let places = functions.len() - 1;
            if *op == Op::Permute {
                applies(functions, 0, &[&element, &element], &element)?;
            }
            applies(functions, places, &[&Ty::index(source.rank)], &Ty::Scalars(place))
        }
        Op::Filter => {
            let source = array(one(inputs)?)?;
            ensure(source.rank == 1 && source == result(ty)?, "filters work on vectors")?;
            applies(functions, 0, &[&Ty::Scalars(source.components.clone())], &Ty::bool())
        }
        Op::Concat => {
            let [left, right] = two(inputs)?;
            ensure(array(left)? == array(right)? && array(left)? == result(ty)?, "different types")
        }
        Op::Foreign(_) => {
            let [_, elsewhere] = two(inputs)?;
            ensure(elsewhere.ty == *ty, "other arrays than elsewhere")
        }
        #[cfg(feature = "seq")]
        Op::Parts(parts) => ensure(*ty == parts.ty(), "other arrays"),
        Op::Compute => ensure(array(one(inputs)?)? == result(ty)?, "another type"),
        _ => Err("an operation without a rule".to_string()),
    }
}

fn scalars(ty: &Ty) -> Result<&Components, String> {
    ty.scalars().ok_or_else(|| "a scalar is expected".to_string())
}

fn single(ty: &Ty) -> Result<ValueType, String> {
    match scalars(ty)?.as_slice() {
        [one] => Ok(*one),
        _ => Err("a single scalar is expected".to_string()),
    }
}

fn array(node: &Ref) -> Result<&ArrayTy, String> {
    result(&node.ty)
}

fn result(ty: &Ty) -> Result<&ArrayTy, String> {
    ty.array().ok_or_else(|| "an array is expected".to_string())
}

fn one(inputs: &[Ref]) -> Result<&Ref, String> {
    match inputs {
        [one] => Ok(one),
        _ => Err("one operand is expected".to_string()),
    }
}

fn two(inputs: &[Ref]) -> Result<[&Ref; 2], String> {
    match inputs {
        [first, second] => Ok([first, second]),
        _ => Err("two operands are expected".to_string()),
    }
}

fn scalar_operator(inputs: &[Ref], count: usize, ty: &Ty, accepts: impl Fn(ScalarType) -> bool) -> Checked {
    ensure(inputs.len() == count, "another number of operands")?;
    ensure(inputs.iter().all(|input| input.ty == *ty), "operands of different types")?;
    ensure(accepts(single(ty)?.scalar()), "the operator does not take this type")
}

fn applies(functions: &[Function], at: usize, takes: &[&Ty], yields: &Ty) -> Checked {
    let function = functions.get(at).ok_or("a function is missing")?;
    ensure(function.params.iter().map(|param| &param.ty).eq(takes.iter().copied()), "another function")?;
    ensure(function.result.ty == *yields, "a function of another result")
}
