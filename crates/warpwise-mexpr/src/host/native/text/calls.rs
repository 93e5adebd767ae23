//! Calls of instances and built-ins, and results of functions.

use crate::builtins::{ALL, Builtin};

use super::super::super::code::Slot;
use super::super::infer::{Callee, MOST_WORDS, Step, scalars};
use super::super::kinds::Kind;
use super::super::operations;
use super::super::runtime::{Helper, given};
use super::function::is_counted;
use super::instrs::{flat, written};
use super::{IN_REGISTERS, Scalar, Words, Writer, context, result_leaves, result_type};

impl Writer<'_> {
    /// Emits the call of a step with values in hand, or stores them as a partial application, and continues.
    pub(super) fn called(&mut self, at: usize, to: Slot, values: Vec<Words>, step: &Step) {
        match step.callee {
            Some(callee) => {
                if let Some(words) = self.call(callee, values) {
                    self.give(at, to, words);
                }
            }
            None => self.give(at, to, Words { kind: written(step), scalars: flat(values) }),
        }
    }

    /// Emits a call, which takes over all owned values; returns its result, or `None` if it never returns.
    pub(super) fn call(&mut self, callee: Callee, values: Vec<Words>) -> Option<Words> {
        match callee {
            Callee::Builtin(builtin) => {
                if scalars(builtin).is_none() {
                    self.in_hand.clear();
                }
                Some(self.call_builtin(builtin, applied(values)))
            }
            Callee::Instance(number) => {
                self.in_hand.clear();
                self.call_instance(number, &flat(values))
            }
        }
    }

    /// Emits a call of an instance, which owns its arguments.
    pub(super) fn call_instance(&mut self, number: usize, arguments: &[Scalar]) -> Option<Words> {
        let it = &self.module.analysis.instances[number];
        let leaves = result_leaves(it);
        let ty = result_type(&leaves);
        let result =
            self.value(&format!("notail call tailcc {ty} @f{number}(ptr %context{})", list(arguments)));
        let in_registers = leaves.len() <= IN_REGISTERS;
        let flag = if in_registers { leaves.len() } else { 0 };
        let failed = self.value(&format!("extractvalue {ty} {result}, {flag}"));
        let Some(kind) = it.result.clone() else {
            self.give_up();
            return None;
        };
        self.give_up_if(&failed);
        let values = leaves.into_iter().enumerate().map(|(index, leaf)| {
            let text = if in_registers {
                self.value(&format!("extractvalue {ty} {result}, {index}"))
            } else {
                self.context_field(context::RESULTS + 8 * index, leaf.ty())
            };
            Scalar { leaf, text }
        });
        Some(Words { kind, scalars: values.collect() })
    }

    /// Emits a call of a built-in. A built-in on scalars owns nothing; others own their arguments.
    pub(super) fn call_builtin(&mut self, builtin: Builtin, values: Vec<Words>) -> Words {
        if let Some((parameters, _)) = scalars(builtin) {
            let narrowed: Vec<Scalar> = values
                .into_iter()
                .zip(parameters)
                .map(|(value, leaf)| self.narrow(value, &Kind::Scalar(*leaf)).scalars.remove(0))
                .collect();
            let result = operations::scalar(self, builtin, &narrowed);
            return Words { kind: Kind::Scalar(result.leaf), scalars: vec![result] };
        }
        let kind = given(builtin).expect("inference lets no other built-in pass");
        let n = values.len();
        let first = self.write_all(values);
        let number = ALL.iter().position(|other| *other == builtin).expect("all built-ins are there");
        let is_there = self.help(Helper::Builtin, "i64", &format!("i64 {number}, ptr {first}, i64 {n}"));
        let failed = self.value(&format!("icmp eq i64 {is_there}, 0"));
        self.give_up_if(&failed);
        let any = self.read(&first);
        self.known(&any, &kind)
    }

    pub(super) fn tail_call(&mut self, values: Vec<Words>, step: &Step) {
        let Some(Callee::Instance(number)) = step.callee else {
            let words = match step.callee {
                Some(callee) => self.call(callee, values),
                // A partial application; its kind is the function's result kind.
                None => self.it.result.clone().map(|kind| Words { kind, scalars: flat(values) }),
            };
            return words.into_iter().for_each(|words| self.ret(words));
        };
        let kinds = self.it.arguments.clone();
        if number == self.number && kinds.iter().any(is_counted) {
            self.give_up_if_full();
        }
        self.in_hand.clear();
        self.empty_all();
        if number == self.number {
            let mut scalars = flat(values).into_iter();
            for (slot, kind) in kinds.iter().enumerate() {
                let values = scalars.by_ref().take(kind.leaves().len()).collect();
                self.store(Slot(slot as u32), values);
            }
            return self.line("br label %start");
        }
        let arguments = flat(values);
        if self.module.analysis.instances[number].result == self.it.result {
            let ty = result_type(&result_leaves(self.it));
            let call = format!("musttail call tailcc {ty} @f{number}(ptr %context{})", list(&arguments));
            let result = self.value(&call);
            return self.line(&format!("ret {ty} {result}"));
        }
        // A callee that returns nothing, or a narrower kind, has another type.
        if let Some(words) = self.call_instance(number, &arguments) {
            self.ret(words);
        }
    }

    /// Returns a value that is in hand.
    pub(super) fn ret(&mut self, words: Words) {
        let kind = self.it.result.clone().expect("the function was found to give something");
        let words = self.convert(words, &kind);
        self.in_hand.clear();
        self.empty_all();
        let values = words.scalars;
        debug_assert!(values.len() <= MOST_WORDS);
        let leaves = kind.leaves();
        let ty = result_type(&leaves);
        if values.len() > IN_REGISTERS {
            for (index, Scalar { leaf, text }) in values.iter().enumerate() {
                let offset = context::RESULTS + 8 * index;
                let place = self.value(&format!("getelementptr i8, ptr %context, i64 {offset}"));
                self.line(&format!("store {} {text}, ptr {place}", leaf.ty()));
            }
            return self.line(&format!("ret {ty} {{ i1 false }}"));
        }
        let mut whole = "poison".to_string();
        for (index, Scalar { leaf, text }) in values.iter().enumerate() {
            whole = self.value(&format!("insertvalue {ty} {whole}, {} {text}, {index}", leaf.ty()));
        }
        whole = self.value(&format!("insertvalue {ty} {whole}, i1 false, {}", values.len()));
        self.line(&format!("ret {ty} {whole}"));
    }
}

/// Returns the text of the arguments after the context.
fn list(values: &[Scalar]) -> String {
    values.iter().map(|Scalar { leaf, text }| format!(", {} {text}", leaf.ty())).collect()
}

/// Returns the arguments of an applied built-in; those that a partial application holds come first.
pub(super) fn applied(values: Vec<Words>) -> Vec<Words> {
    let mut all = Vec::new();
    for Words { kind, scalars } in values {
        match kind {
            Kind::Builtin(_, first) => {
                let mut scalars = scalars.into_iter();
                for kind in first.iter() {
                    let scalars = scalars.by_ref().take(kind.leaves().len()).collect();
                    all.push(Words { kind: kind.clone(), scalars });
                }
            }
            kind => all.push(Words { kind, scalars }),
        }
    }
    all
}
