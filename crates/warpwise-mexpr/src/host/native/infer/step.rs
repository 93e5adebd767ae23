//! Inference for one instruction: the kind of its result, given the kinds of its operands.

use std::rc::Rc;

use crate::builtins::Builtin;

use super::super::super::code::{Instr, Slot, Use};
use super::super::kinds::{Kind, Leaf, Shared};
use super::super::runtime;
use super::{Callee, Inference, Next, Refused, Slots, Step};

/// The outcome of applying a value.
enum Applied {
    /// A call.
    Callee(Callee),
    /// A function that still lacks arguments.
    Partly(Kind),
}

/// A built-in that calls a function repeatedly, and returns its last result or all results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::host::native) enum Repeat {
    Times,
    Foldl,
    Foldr,
    Map,
    Mapi,
    Map2,
    Create { list: bool },
}

/// The arguments of a repeating built-in.
pub(in crate::host::native) struct Parts<'a, T> {
    pub function: &'a T,
    pub state: Option<&'a T>,
    pub count: Option<&'a T>,
    pub sources: Vec<&'a T>,
}

impl Repeat {
    pub(in crate::host::native) fn of(builtin: Builtin) -> Option<Repeat> {
        Some(match builtin {
            Builtin::SeqLoopAcc => Repeat::Times,
            // `reduce` is left to the machine, which may have to test whether its function is associative.
            Builtin::Foldl => Repeat::Foldl,
            Builtin::Foldr => Repeat::Foldr,
            Builtin::Map => Repeat::Map,
            Builtin::Mapi => Repeat::Mapi,
            Builtin::Map2 => Repeat::Map2,
            Builtin::Create | Builtin::CreateRope => Repeat::Create { list: false },
            Builtin::CreateList => Repeat::Create { list: true },
            _ => return None,
        })
    }

    /// Assigns the arguments to their roles.
    pub(in crate::host::native) fn parts<T>(self, arguments: &[T]) -> Option<Parts<'_, T>> {
        Some(match (self, arguments) {
            (Repeat::Times, [state, count, function]) => {
                Parts { function, state: Some(state), count: Some(count), sources: Vec::new() }
            }
            (Repeat::Foldl | Repeat::Foldr, [function, state, source]) => {
                Parts { function, state: Some(state), count: None, sources: vec![source] }
            }
            (Repeat::Map | Repeat::Mapi, [function, source]) => {
                Parts { function, state: None, count: None, sources: vec![source] }
            }
            (Repeat::Map2, [function, first, second]) => {
                Parts { function, state: None, count: None, sources: vec![first, second] }
            }
            (Repeat::Create { .. }, [count, function]) => {
                Parts { function, state: None, count: Some(count), sources: Vec::new() }
            }
            _ => return None,
        })
    }

    /// Returns the arguments of the function.
    pub(in crate::host::native) fn given(self, state: Option<Kind>) -> Vec<Kind> {
        match (self, state) {
            (Repeat::Times, Some(state)) => vec![state, Kind::INT],
            (Repeat::Foldl, Some(state)) => vec![state, Kind::Any],
            (Repeat::Foldr, Some(state)) => vec![Kind::Any, state],
            (Repeat::Mapi, _) => vec![Kind::INT, Kind::Any],
            (Repeat::Map2, _) => vec![Kind::Any, Kind::Any],
            (Repeat::Create { .. }, _) => vec![Kind::INT],
            (Repeat::Map | Repeat::Times | Repeat::Foldl | Repeat::Foldr, _) => vec![Kind::Any],
        }
    }
}

impl Inference<'_> {
    pub(super) fn step(
        &mut self,
        instr: &Instr,
        at: usize,
        slots: &Slots,
        step: &mut Step,
    ) -> Result<Next, Refused> {
        let kind = |slot: Slot| slots[slot.0 as usize].clone().ok_or(Refused);
        let kinds = |operands: &[Use]| -> Result<Vec<Kind>, Refused> {
            operands.iter().map(|operand| kind(operand.slot)).collect()
        };
        let plain = |slot: Slot| kind(slot).and_then(|kind| kind.is_plain().then_some(kind).ok_or(Refused));
        let test = |slot, wanted: Kind, target: u32| match kind(slot)? {
            found if found == wanted || found == Kind::Any => Ok(Next::Goto(vec![at + 1, target as usize])),
            _ => Err(Refused),
        };
        Ok(match instr {
            Instr::Move { to, from } => Next::Written(*to, kind(from.slot)?),
            Instr::Int { to, .. } => Next::Written(*to, Kind::INT),
            Instr::Float { to, .. } => Next::Written(*to, Kind::FLOAT),
            Instr::Char { to, .. } => Next::Written(*to, Kind::CHAR),
            Instr::Bool { to, .. } => Next::Written(*to, Kind::BOOL),
            Instr::Unit { to } => Next::Written(*to, Kind::Unit),
            Instr::BuiltinValue { to, builtin } => Next::Written(*to, Kind::Builtin(*builtin, Rc::new([]))),
            Instr::Global { to, global } => {
                Next::Written(*to, self.globals.get(global.0 as usize).ok_or(Refused)?.0.clone())
            }
            Instr::Record { to, shape, fields } => {
                Next::Written(*to, Kind::Record(*shape, kinds(fields)?.into()))
            }
            Instr::Project { to, from, field, sort } => match kind(from.slot)? {
                Kind::Any | Kind::Shared(Shared::Record) => Next::Written(*to, Kind::read(sort)),
                record => Next::Written(*to, record.field(*field).ok_or(Refused)?.0.clone()),
            },
            Instr::Update { to, from, field, value } => match kind(from.slot)? {
                record @ Kind::Shared(Shared::Record) => {
                    plain(value.slot)?;
                    Next::Written(*to, record)
                }
                Kind::Record(shape, mut fields) => {
                    let fields_mut = Rc::make_mut(&mut fields);
                    *fields_mut.get_mut(*field as usize).ok_or(Refused)? = kind(value.slot)?;
                    Next::Written(*to, Kind::Record(shape, fields))
                }
                _ => return Err(Refused),
            },
            Instr::Construct { to, held, .. } => {
                plain(held.slot)?;
                Next::Written(*to, Kind::Shared(Shared::Con))
            }
            Instr::Held { to, from, sort } => match kind(from.slot)? {
                Kind::Any | Kind::Shared(Shared::Con) => Next::Written(*to, Kind::read(sort)),
                _ => return Err(Refused),
            },
            Instr::UnlessCon { slot, target, .. } => test(*slot, Kind::Shared(Shared::Con), *target)?,
            Instr::String { to, .. } => Next::Written(*to, Kind::SEQ),
            Instr::Seq { to, items } => {
                items.iter().try_for_each(|item| plain(item.slot).map(drop))?;
                Next::Written(*to, Kind::SEQ)
            }
            Instr::UnlessLength { slot, target, .. } => test(*slot, Kind::SEQ, *target)?,
            Instr::Item { to, from, sort, .. } => match kind(from.slot)? {
                Kind::SEQ | Kind::Any => Next::Written(*to, Kind::read(sort)),
                _ => return Err(Refused),
            },
            Instr::Middle { to, from, .. } => match kind(from.slot)? {
                Kind::SEQ | Kind::Any => Next::Written(*to, Kind::SEQ),
                _ => return Err(Refused),
            },
            Instr::Closure { to, function, captured } => {
                Next::Written(*to, Kind::Function(*function, kinds(captured)?.into()))
            }
            Instr::Direct { to, function, arguments } => {
                let callee = self.instance(*function, kinds(arguments)?).ok_or(Refused)?;
                self.called(Callee::Instance(callee), step, |kind| Next::Written(*to, kind))
            }
            Instr::TailDirect { function, arguments } => {
                let callee = self.instance(*function, kinds(arguments)?).ok_or(Refused)?;
                self.called(Callee::Instance(callee), step, Next::Returned)
            }
            Instr::Call { to, function, arguments } => {
                let applied = self.apply(&kind(function.slot)?, kinds(arguments)?)?;
                self.applied(applied, step, |kind| Next::Written(*to, kind))
            }
            Instr::TailCall { function, arguments } => {
                let applied = self.apply(&kind(function.slot)?, kinds(arguments)?)?;
                self.applied(applied, step, Next::Returned)
            }
            Instr::Builtin { to, builtin, arguments } if Repeat::of(*builtin).is_some() => {
                let repeat = Repeat::of(*builtin).ok_or(Refused)?;
                Next::Written(*to, self.repeat(repeat, &kinds(arguments)?, step)?)
            }
            Instr::Builtin { to, builtin, arguments } => {
                let applied = self.apply(&Kind::Builtin(*builtin, Rc::new([])), kinds(arguments)?)?;
                self.applied(applied, step, |kind| Next::Written(*to, kind))
            }
            Instr::Return { from } => Next::Returned(kind(from.slot)?),
            Instr::Jump { target } => Next::Goto(vec![*target as usize]),
            Instr::UnlessBool { slot, target, .. } => test(*slot, Kind::BOOL, *target)?,
            Instr::UnlessInt { slot, target, .. } => test(*slot, Kind::INT, *target)?,
            Instr::UnlessChar { slot, target, .. } => test(*slot, Kind::CHAR, *target)?,
            Instr::Never => Next::Nothing,
            Instr::SetGlobal { .. }
            | Instr::Accelerate { .. }
            | Instr::Equal { .. }
            | Instr::Passed
            | Instr::Failed { .. } => return Err(Refused),
        })
    }

    /// Applies a function value to arguments.
    fn apply(&mut self, function: &Kind, arguments: Vec<Kind>) -> Result<Applied, Refused> {
        match function {
            Kind::Function(function, captured) => {
                let all: Vec<Kind> = captured.iter().cloned().chain(arguments).collect();
                let code = &self.code.functions[function.0 as usize];
                if all.len() < (code.n_captured + code.n_parameters) as usize {
                    return Ok(Applied::Partly(Kind::Function(*function, all.into())));
                }
                let callee = self.instance(*function, all).map(Callee::Instance);
                callee.map(Applied::Callee).ok_or(Refused)
            }
            Kind::Builtin(builtin, first) => {
                let all: Vec<Kind> = first.iter().cloned().chain(arguments).collect();
                if all.len() < builtin.parameters() {
                    return Ok(Applied::Partly(Kind::Builtin(*builtin, all.into())));
                }
                let fits = |(kind, leaf): (&Kind, &Leaf)| *kind == Kind::Scalar(*leaf) || *kind == Kind::Any;
                let all_fit = all.len() == builtin.parameters()
                    && match scalars(*builtin) {
                        Some((parameters, _)) => all.iter().zip(parameters).all(fits),
                        None => runtime::given(*builtin).is_some() && all.iter().all(Kind::is_plain),
                    };
                all_fit.then_some(Applied::Callee(Callee::Builtin(*builtin))).ok_or(Refused)
            }
            Kind::Unit | Kind::Scalar(_) | Kind::Record(..) | Kind::Shared(_) | Kind::Any => Err(Refused),
        }
    }

    fn result(&self, callee: Callee) -> Option<Kind> {
        match callee {
            Callee::Instance(number) => self.instances[number].result.clone(),
            Callee::Builtin(builtin) => match scalars(builtin) {
                Some((_, result)) => Some(Kind::Scalar(result)),
                None => runtime::given(builtin),
            },
        }
    }

    /// Returns the kind of the result of a built-in that calls a function repeatedly.
    fn repeat(&mut self, repeat: Repeat, arguments: &[Kind], step: &mut Step) -> Result<Kind, Refused> {
        let parts = repeat.parts(arguments).ok_or(Refused)?;
        let are_fit = parts.sources.iter().all(|kind| matches!(**kind, Kind::SEQ | Kind::Any))
            && parts.count.is_none_or(|kind| matches!(kind, Kind::Scalar(Leaf::Int) | Kind::Any));
        if !are_fit {
            return Err(Refused);
        }
        let Some(mut state) = parts.state.cloned() else {
            let Applied::Callee(callee) = self.apply(parts.function, repeat.given(None))? else {
                return Err(Refused);
            };
            step.callee = Some(callee);
            return match self.result(callee) {
                Some(kind) if !kind.is_plain() => Err(Refused),
                _ => Ok(Kind::SEQ),
            };
        };
        loop {
            let applied = self.apply(parts.function, repeat.given(Some(state.clone())))?;
            let Applied::Callee(callee) = applied else { return Err(Refused) };
            step.callee = Some(callee);
            let after = match self.result(callee) {
                Some(result) => state.join(&result).ok_or(Refused)?,
                None => state.clone(),
            };
            if after == state {
                return Ok(state);
            }
            state = after;
        }
    }

    fn applied(&self, applied: Applied, step: &mut Step, next: impl FnOnce(Kind) -> Next) -> Next {
        match applied {
            Applied::Callee(callee) => self.called(callee, step, next),
            Applied::Partly(kind) => next(kind),
        }
    }

    fn called(&self, callee: Callee, step: &mut Step, next: impl FnOnce(Kind) -> Next) -> Next {
        step.callee = Some(callee);
        self.result(callee).map_or(Next::Nothing, next)
    }
}

/// Returns the kinds of a scalar built-in's parameters and result.
pub(in crate::host::native) fn scalars(builtin: Builtin) -> Option<(&'static [Leaf], Leaf)> {
    use Builtin as B;
    use Leaf::{Bool, Char, Float, Int};
    Some(match builtin {
        B::Addi | B::Subi | B::Muli | B::Divi | B::Modi | B::Slli | B::Srli | B::Srai => (&[Int, Int], Int),
        B::Lti | B::Leqi | B::Gti | B::Geqi | B::Eqi | B::Neqi => (&[Int, Int], Bool),
        B::Negi => (&[Int], Int),
        B::Addf | B::Subf | B::Mulf | B::Divf => (&[Float, Float], Float),
        B::Ltf | B::Leqf | B::Gtf | B::Geqf | B::Eqf | B::Neqf => (&[Float, Float], Bool),
        B::Negf | B::ExternalSqrt => (&[Float], Float),
        B::Floorfi | B::Ceilfi | B::Roundfi => (&[Float], Int),
        B::IntToFloat => (&[Int], Float),
        B::Eqc => (&[Char, Char], Bool),
        B::CharToInt => (&[Char], Int),
        B::IntToChar => (&[Int], Char),
        B::ExternalExp | B::ExternalLog | B::ExternalAtan | B::ExternalSin | B::ExternalCos => {
            (&[Float], Float)
        }
        B::ExternalAtan2 | B::ExternalPow => (&[Float, Float], Float),
        _ => return None,
    })
}
