//! Instructions that neither call nor jump.

use std::rc::Rc;

use super::super::builtins::Stop;
use super::super::code::{Instr, ShapeId, Use};
use super::super::equal::equal;
use super::super::outcome::TestOutcome;
use super::super::seq::Seq;
use super::super::show::show;
use super::super::value::{Closure, Value};
use super::super::watch::check_regular;
use super::{Machine, State, ill_typed};

impl Machine<'_> {
    /// Runs an instruction that neither calls nor jumps.
    pub(super) fn simple(&mut self, state: State, instr: &Instr) -> Result<(), Stop> {
        let (to, value) = match instr {
            Instr::Move { to, from } => (*to, self.take(state, *from)),
            Instr::Int { to, value } => (*to, Value::Int(*value)),
            Instr::Float { to, value } => (*to, Value::Float(*value)),
            Instr::Char { to, value } => (*to, Value::Char(*value)),
            Instr::Bool { to, value } => (*to, Value::Bool(*value)),
            Instr::Unit { to } => (*to, Value::Unit),
            Instr::String { to, text } => (*to, Value::string(text)),
            Instr::BuiltinValue { to, builtin } => (*to, Value::Builtin(*builtin)),
            Instr::Global { to, global } => (*to, self.globals[global.0 as usize].clone()),
            Instr::SetGlobal { global, from } => {
                let value = self.take(state, *from);
                if let Some(native) = &mut self.native {
                    native.set_global(global.0 as usize, &value);
                }
                self.globals[global.0 as usize] = value;
                return Ok(());
            }
            Instr::Record { to, shape, fields } => {
                (*to, Value::record(*shape, fields.iter().map(|field| self.take(state, *field))))
            }
            Instr::Project { to, from, field, .. } => (*to, self.project(state, *from, *field)?),
            Instr::Update { to, from, field, value } => {
                let record = self.take(state, *from);
                let value = self.take(state, *value);
                (*to, update(record, *field, value)?)
            }
            Instr::Construct { to, con, held } => {
                let held = self.take(state, *held);
                (*to, Value::con(*con, held))
            }
            Instr::Held { to, from, .. } => match self.get(state, from.slot) {
                Value::Con(con) => {
                    let held = con.held().clone();
                    self.forget(state, *from);
                    (*to, held)
                }
                _ => return Err(ill_typed()),
            },
            Instr::Seq { to, items } => {
                let items: Vec<Value> = items.iter().map(|item| self.take(state, *item)).collect();
                let seq: Seq = items.into();
                if self.is_strict {
                    check_regular(&seq)?;
                }
                (*to, Value::Seq(seq))
            }
            Instr::Item { to, from, index, from_end, .. } => {
                let seq = seq(self.get(state, from.slot))?;
                let index = *index as usize;
                let index = if *from_end { seq.len().wrapping_sub(index + 1) } else { index };
                let item = seq.get(index).ok_or_else(ill_typed)?;
                self.forget(state, *from);
                (*to, item)
            }
            Instr::Middle { to, from, front, back } => {
                let Value::Seq(seq) = self.take(state, *from) else { return Err(ill_typed()) };
                let length = seq.len().saturating_sub((front + back) as usize);
                (*to, Value::Seq(seq.into_part(*front as usize, length)))
            }
            Instr::Closure { to, function, captured } => {
                let captured = captured.iter().map(|operand| self.take(state, *operand)).collect();
                (*to, Value::Function(Rc::new(Closure { function: *function, captured })))
            }
            Instr::Equal { to, left, right } => {
                let same =
                    equal(self.get(state, left.slot), self.get(state, right.slot)).map_err(Stop::Fault)?;
                (*to, Value::Bool(same))
            }
            Instr::Never => return Err(Stop::Fault("no case matches, or `never` was reached".to_string())),
            Instr::Passed => {
                self.passed += 1;
                let span = self.span(state);
                (self.report)(TestOutcome { span, failure: None });
                return Ok(());
            }
            Instr::Failed { message, actual, expected } => {
                self.test_failed(state, *message, *actual, *expected);
                return Ok(());
            }
            Instr::Builtin { .. }
            | Instr::Call { .. }
            | Instr::Direct { .. }
            | Instr::Accelerate { .. }
            | Instr::TailCall { .. }
            | Instr::TailDirect { .. }
            | Instr::Return { .. }
            | Instr::Jump { .. }
            | Instr::UnlessBool { .. }
            | Instr::UnlessInt { .. }
            | Instr::UnlessChar { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. } => return Err(ill_typed()),
        };
        self.put(state, to, value);
        Ok(())
    }

    pub(super) fn project(&mut self, state: State, from: Use, field: u32) -> Result<Value, Stop> {
        let value = match self.get(state, from.slot) {
            Value::Record(record) => record.fields().get(field as usize).cloned().ok_or_else(ill_typed)?,
            _ => return Err(ill_typed()),
        };
        self.forget(state, from);
        Ok(value)
    }

    /// Empties a slot after its last use.
    pub(super) fn forget(&mut self, state: State, operand: Use) {
        if operand.last {
            self.put(state, operand.slot, Value::Unit);
        }
    }

    pub(super) fn test_failed(&mut self, state: State, message: Option<Use>, actual: Use, expected: Use) {
        self.failed += 1;
        let message = match message.map(|message| self.get(state, message.slot)) {
            Some(Value::Seq(text)) => text.text(),
            _ => {
                let actual = show(self.code, self.get(state, actual.slot));
                let expected = show(self.code, self.get(state, expected.slot));
                format!("found    {actual}\nexpected {expected}")
            }
        };
        let span = self.span(state);
        (self.report)(TestOutcome { span, failure: Some(message) });
    }

    /// Makes a pair as built-ins return it.
    pub(in crate::host) fn pair(&self, first: Value, second: Value) -> Value {
        let (shape, flipped): (ShapeId, bool) = self.code.pair;
        Value::record(shape, if flipped { [second, first] } else { [first, second] })
    }
}

fn seq(value: &Value) -> Result<&Seq, Stop> {
    match value {
        Value::Seq(seq) => Ok(seq),
        _ => Err(ill_typed()),
    }
}

/// Replaces a field of a record; in place if the record has no other owner.
fn update(record: Value, field: u32, value: Value) -> Result<Value, Stop> {
    let Value::Record(mut record) = record else { return Err(ill_typed()) };
    let place = record.fields_mut().get_mut(field as usize);
    *place.ok_or_else(ill_typed)? = value;
    Ok(Value::Record(record))
}
