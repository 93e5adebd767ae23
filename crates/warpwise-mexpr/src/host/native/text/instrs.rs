//! Writing of instructions.

use crate::builtins::Builtin;

use super::super::super::code::{Instr, Slot, Sort, Use};
use super::super::infer::{Repeat, Step};
use super::super::kinds::{Kind, Leaf, Shared};
use super::super::runtime::Helper;
use super::shared::seq_at;
use super::{Scalar, Words, Writer, context};

impl Writer<'_> {
    pub(super) fn instr(&mut self, at: usize, instr: &Instr, step: &Step) {
        match instr {
            Instr::Move { to, from } => {
                let words = self.take(*from);
                self.give(at, *to, words);
            }
            Instr::Int { to, value } => self.constant(at, *to, Leaf::Int, value.to_string()),
            Instr::Float { to, value } => {
                self.constant(at, *to, Leaf::Float, format!("0x{:016X}", value.to_bits()));
            }
            Instr::Char { to, value } => self.constant(at, *to, Leaf::Char, u32::from(*value).to_string()),
            Instr::Bool { to, value } => self.constant(at, *to, Leaf::Bool, value.to_string()),
            Instr::Unit { to } | Instr::BuiltinValue { to, .. } => {
                let kind = written(step);
                self.give(at, *to, Words { kind, scalars: Vec::new() });
            }
            Instr::String { to, text } => {
                let number = self.module.strings.borrow_mut().insert_full(text.clone()).0;
                let words = self.global_words(&Kind::SEQ, self.module.n_global_words + number);
                self.give(at, *to, words);
            }
            Instr::Global { to, global } => {
                let (kind, first) = self.module.globals[global.0 as usize].clone();
                let words = self.global_words(&kind, first);
                self.give(at, *to, words);
            }
            Instr::Record { to, fields: parts, .. } | Instr::Closure { to, captured: parts, .. } => {
                let scalars = flat(self.take_all(parts));
                self.give(at, *to, Words { kind: written(step), scalars });
            }
            Instr::Project { to, from, field, sort } => self.project(at, *to, *from, *field, sort),
            Instr::Update { to, from, field, value } => self.update(at, *to, (*from, *field, *value), step),
            Instr::Construct { to, con, held } => {
                let held = self.take(*held);
                let words = self.block(Shared::Con, con.0, vec![held]);
                self.give(at, *to, words);
            }
            Instr::Held { to, from, sort } => {
                let con = self.shared(*from, Shared::Con);
                let words = self.part(&con, 0, sort);
                self.done(*from);
                self.give(at, *to, words);
            }
            Instr::UnlessCon { slot, con, target } => {
                let found = self.shared(Use { slot: *slot, last: false }, Shared::Con);
                let place = self.value(&format!("getelementptr i8, ptr {}, i64 8", found.text));
                let id = self.value(&format!("load i32, ptr {place}"));
                let is_it = self.value(&format!("icmp eq i32 {id}, {}", con.0));
                self.branch(&is_it, at + 1, *target as usize);
            }
            Instr::Seq { to, items } => {
                let n = items.len();
                let values = self.take_all(items);
                let first = self.write_all(values);
                let bits = self.help(Helper::Sequence, "i64", &format!("ptr {first}, i64 {n}, ptr %context"));
                let words = seq_at(self, &bits);
                self.give(at, *to, words);
            }
            Instr::UnlessLength { slot, length, at_least, target } => {
                let seq = self.shared(Use { slot: *slot, last: false }, Shared::Seq);
                let found = self.length(&seq);
                let how = if *at_least { "uge" } else { "eq" };
                let is_it = self.value(&format!("icmp {how} i64 {found}, {length}"));
                self.branch(&is_it, at + 1, *target as usize);
            }
            Instr::Item { to, from, index, from_end, sort } => {
                let seq = self.shared(*from, Shared::Seq);
                let index = if *from_end {
                    let length = self.length(&seq);
                    self.value(&format!("sub i64 {length}, {}", index + 1))
                } else {
                    index.to_string()
                };
                self.item(at, *to, (&seq, &index), &[*from], &Kind::read(sort));
            }
            Instr::Middle { to, from, front, back } => {
                let seq = self.take(*from);
                let seq = self.narrow(seq, &Kind::SEQ).scalars.remove(0);
                let bits = self.value(&format!("ptrtoint ptr {} to i64", seq.text));
                let arguments = format!("i64 {bits}, i64 {front}, i64 {back}");
                let middle = self.help(Helper::Middle, "i64", &arguments);
                self.in_hand.clear();
                let words = seq_at(self, &middle);
                self.give(at, *to, words);
            }
            Instr::Direct { to, arguments, .. } => {
                let arguments = self.take_all(arguments);
                self.called(at, *to, arguments, step);
            }
            Instr::Call { to, function, arguments } => {
                let mut all = vec![self.take(*function)];
                all.extend(self.take_all(arguments));
                self.called(at, *to, all, step);
            }
            Instr::TailDirect { arguments, .. } => {
                let arguments = self.take_all(arguments);
                self.tail_call(arguments, step);
            }
            Instr::TailCall { function, arguments } => {
                let mut all = vec![self.take(*function)];
                all.extend(self.take_all(arguments));
                self.tail_call(all, step);
            }
            Instr::Builtin { to, builtin, arguments } => match Repeat::of(*builtin) {
                Some(repeat) => self.repeat(at, *to, repeat, arguments, step),
                None => self.builtin_instr(at, *to, *builtin, arguments, step),
            },
            Instr::Return { from } => {
                let words = self.take(*from);
                self.ret(words);
            }
            Instr::Jump { target } => self.go(*target as usize),
            Instr::UnlessBool { slot, value, target } => {
                self.test(at, *slot, Leaf::Bool, &value.to_string(), *target);
            }
            Instr::UnlessInt { slot, value, target } => {
                self.test(at, *slot, Leaf::Int, &value.to_string(), *target);
            }
            Instr::UnlessChar { slot, value, target } => {
                self.test(at, *slot, Leaf::Char, &u32::from(*value).to_string(), *target);
            }
            // Inference accepts these only where the run certainly ends with or after them.
            Instr::Never
            | Instr::SetGlobal { .. }
            | Instr::Accelerate { .. }
            | Instr::Equal { .. }
            | Instr::Passed
            | Instr::Failed { .. } => self.give_up(),
        }
    }

    fn constant(&mut self, at: usize, to: Slot, leaf: Leaf, text: String) {
        self.give(at, to, Words { kind: Kind::Scalar(leaf), scalars: vec![Scalar { leaf, text }] });
    }

    /// Returns the value of a global, with one more owner.
    fn global_words(&mut self, kind: &Kind, first: usize) -> Words {
        let globals = self.context_field(context::GLOBALS, "ptr");
        let leaves = kind.leaves().into_iter().enumerate();
        let scalars: Vec<Scalar> = leaves
            .map(|(index, leaf)| {
                let place = self.value(&format!("getelementptr i64, ptr {globals}, i64 {}", first + index));
                let text = match leaf {
                    Leaf::Bool => {
                        let byte = self.value(&format!("load i8, ptr {place}"));
                        self.value(&format!("icmp ne i8 {byte}, 0"))
                    }
                    _ => self.value(&format!("load {}, ptr {place}", leaf.ty())),
                };
                Scalar { leaf, text }
            })
            .collect();
        self.retain(&scalars);
        Words { kind: kind.clone(), scalars }
    }

    /// Returns the address in a slot that must hold a value of this kind; the slot keeps the ownership.
    pub(super) fn shared(&mut self, from: Use, shared: Shared) -> Scalar {
        let words = self.look(from.slot);
        let mut words = self.narrow(words, &Kind::Shared(shared));
        words.scalars.remove(0)
    }

    fn project(&mut self, at: usize, to: Slot, from: Use, field: u32, sort: &Sort) {
        let words = self.look(from.slot);
        let part = if let Some((kind, first)) = words.kind.field(field) {
            let kind = kind.clone();
            let scalars: Vec<Scalar> = words.scalars[first..first + kind.leaves().len()].to_vec();
            self.retain(&scalars);
            Words { kind, scalars }
        } else {
            let record = self.shared(from, Shared::Record);
            self.check_field(&record, field);
            self.part(&record, field, sort)
        };
        self.done(from);
        self.give(at, to, part);
    }

    fn update(&mut self, at: usize, to: Slot, (from, field, value): (Use, u32, Use), step: &Step) {
        let kind = written(step);
        let Some((_, first)) =
            self.look(from.slot).kind.field(field).map(|(old, first)| (old.clone(), first))
        else {
            let record = self.shared(from, Shared::Record);
            self.check_field(&record, field);
            let record = self.take(from).scalars.remove(0);
            let value = self.take(value);
            let value = self.any(value);
            let list = format!(
                "ptr {}, i64 {field}, i64 {}, i64 {}",
                record.text, value.scalars[0].text, value.scalars[1].text
            );
            let text = self.help(Helper::Update, "ptr", &list);
            let scalars = vec![Scalar { leaf: Leaf::Shared(Shared::Record), text }];
            return self.give(at, to, Words { kind, scalars });
        };
        let record = self.take(from);
        let old = record.kind.field(field).map_or(0, |(old, _)| old.leaves().len());
        let value = self.take(value);
        let mut scalars = record.scalars;
        let replaced: Vec<Scalar> = scalars.splice(first..first + old, value.scalars).collect();
        self.release(&replaced);
        self.give(at, to, Words { kind, scalars });
    }

    /// Stores an element of a sequence in a slot; gives up if the element does not exist.
    fn item(&mut self, at: usize, to: Slot, (seq, index): (&Scalar, &str), after: &[Use], kind: &Kind) {
        let (cell, is_there) = self.element(seq, index);
        let is_none = self.value(&format!("icmp eq i64 {is_there}, 0"));
        self.give_up_if(&is_none);
        let any = self.read(&cell);
        self.in_hand.push(super::function::InHand::Words(any.scalars.clone()));
        let words = self.narrow(any, kind);
        after.iter().for_each(|operand| self.done(*operand));
        self.give(at, to, words);
    }

    fn test(&mut self, at: usize, slot: Slot, leaf: Leaf, value: &str, target: u32) {
        let found = self.look(slot);
        let is_it = if found.kind == Kind::Any {
            let is_kind = self.value(&format!("icmp eq i64 {}, {}", found.scalars[0].text, leaf.value_tag()));
            let word = self.word(&found, leaf);
            let is_same = self.value(&format!("icmp eq {} {}, {value}", leaf.ty(), word.text));
            self.value(&format!("and i1 {is_kind}, {is_same}"))
        } else {
            self.value(&format!("icmp eq {} {}, {value}", leaf.ty(), found.scalars[0].text))
        };
        self.branch(&is_it, at + 1, target as usize);
    }

    /// Writes a built-in; takes no ownership of operands that it only reads.
    fn builtin_instr(&mut self, at: usize, to: Slot, builtin: Builtin, operands: &[Use], step: &Step) {
        let looks = super::super::infer::scalars(builtin).is_some();
        match (builtin, operands) {
            (Builtin::Length | Builtin::Null, [from]) if step.callee.is_some() => {
                let seq = self.shared(*from, Shared::Seq);
                let length = self.length(&seq);
                self.done(*from);
                if builtin == Builtin::Length {
                    return self.constant(at, to, Leaf::Int, length);
                }
                let is_empty = self.value(&format!("icmp eq i64 {length}, 0"));
                self.constant(at, to, Leaf::Bool, is_empty);
            }
            (Builtin::Get, [from, index]) if step.callee.is_some() => {
                let seq = self.shared(*from, Shared::Seq);
                let index_words = self.look(index.slot);
                let number = self.narrow(index_words, &Kind::INT).scalars.remove(0).text;
                self.item(at, to, (&seq, &number), &[*from, *index], &Kind::Any);
            }
            _ if looks && step.callee.is_some() => {
                let all: Vec<Words> = operands.iter().map(|operand| self.look(operand.slot)).collect();
                let words = self.call_builtin(builtin, all);
                operands.iter().for_each(|operand| self.done(*operand));
                self.give(at, to, words);
            }
            _ => {
                let all = self.take_all(operands);
                self.called(at, to, all, step);
            }
        }
    }
}

/// Returns the kind of the value that a step writes.
pub(super) fn written(step: &Step) -> Kind {
    step.written.clone().expect("the instruction was found to give something")
}

/// Returns the words of values, one after the other.
pub(super) fn flat(values: Vec<Words>) -> Vec<Scalar> {
    values.into_iter().flat_map(|value| value.scalars).collect()
}
