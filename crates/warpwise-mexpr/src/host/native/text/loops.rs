//! Writing of built-ins that call a function repeatedly.

use super::super::super::code::{Slot, Use};
use super::super::infer::{Callee, Repeat, Step};
use super::super::kinds::{Kind, Leaf};
use super::super::runtime::Helper;
use super::calls::applied;
use super::function::{InHand, is_counted};
use super::instrs::{flat, written};
use super::shared::seq_at;
use super::{Scalar, Words, Writer};

/// Index of a state's first word among the words of a slot: a slot has fewer words of its own.
const BESIDE: usize = 1000;

/// A loop that is being written.
struct Iterations {
    repeat: Repeat,
    at: usize,
    to: Slot,
    callee: Callee,
    /// The captured values of the function; each call gets its own share.
    captured: Words,
    sources: Vec<Scalar>,
    /// The kind of the state.
    state: Option<Kind>,
    /// The list of results so far, if there is no state.
    items: String,
    n: String,
    /// The variable that holds the iteration number.
    iteration: String,
}

impl Writer<'_> {
    pub(super) fn repeat(&mut self, at: usize, to: Slot, repeat: Repeat, operands: &[Use], step: &Step) {
        let (Some(parts), Some(callee)) = (repeat.parts(operands), step.callee) else {
            unreachable!("inference has found what is called");
        };
        let captured = self.take(*parts.function);
        let initial = parts.state.map(|state| self.take(*state));
        let count = parts.count.map(|count| self.look(count.slot));
        let mut sources = Vec::new();
        for source in &parts.sources {
            let source = self.take(**source);
            sources.push(self.narrow(source, &Kind::SEQ).scalars.remove(0));
        }
        let n = match count {
            Some(count) => {
                let n = self.narrow(count, &Kind::INT).scalars.remove(0).text;
                if let Repeat::Create { .. } = repeat {
                    let is_negative = self.value(&format!("icmp slt i64 {n}, 0"));
                    self.give_up_if(&is_negative);
                }
                n
            }
            None => self.shortest(&sources),
        };
        let state = initial.as_ref().map(|_| written(step));
        let iteration = self.variable(to, BESIDE, Leaf::Int);
        let mut items = String::new();
        match (initial, &state) {
            (Some(initial), Some(kind)) => {
                let initial = self.convert(initial, kind);
                self.store_state(to, initial.scalars);
            }
            _ => items = self.help(Helper::Items, "ptr", ""),
        }
        // The state is in its variables from here on; during a call the callee owns it.
        self.in_hand.clear();
        self.in_hand.push(InHand::Words(captured.scalars.clone()));
        self.in_hand.push(InHand::Words(sources.clone()));
        if !items.is_empty() {
            self.in_hand.push(InHand::Items(items.clone()));
        }
        parts.count.iter().for_each(|count| self.done(**count));
        let iterations = Iterations { repeat, at, to, callee, captured, sources, state, items, n, iteration };
        self.iterations(&iterations);
        let Iterations { captured, sources, state, items, .. } = iterations;
        self.in_hand.clear();
        self.release(&captured.scalars);
        self.release(&sources);
        let words = match state {
            Some(kind) => self.load_state(to, &kind),
            None => {
                let is_list = u8::from(repeat == Repeat::Create { list: true });
                let bits = self.help(Helper::Finish, "i64", &format!("ptr {items}, i64 {is_list}"));
                seq_at(self, &bits)
            }
        };
        self.give(at, to, words);
    }

    /// Writes the iterations, up to the exit of the loop.
    fn iterations(&mut self, iterations: &Iterations) {
        let Iterations { repeat, at, to, callee, n, iteration, .. } = iterations;
        self.line(&format!("store i64 0, ptr {iteration}"));
        self.line(&format!("br label %i{at}.test"));
        self.label(&format!("i{at}.test"));
        let index = self.value(&format!("load i64, ptr {iteration}"));
        let goes_on = self.value(&format!("icmp slt i64 {index}, {n}"));
        self.line(&format!("br i1 {goes_on}, label %i{at}.round, label %i{at}.done"));
        self.label(&format!("i{at}.round"));
        let state = iterations.state.as_ref().map(|kind| self.load_state(*to, kind));
        if let Some(state) = state.as_ref().filter(|state| is_counted(&state.kind)) {
            self.in_hand.push(InHand::Words(state.scalars.clone()));
            self.give_up_if_full();
            self.in_hand.pop();
        }
        self.retain(&iterations.captured.scalars);
        let elements = self.elements(iterations, &index);
        let number = Scalar { leaf: Leaf::Int, text: index.clone() };
        let number = Words { kind: Kind::INT, scalars: vec![number] };
        let mut all = vec![iterations.captured.clone()];
        match repeat {
            Repeat::Times => all.extend(state.into_iter().chain([number])),
            Repeat::Foldl => all.extend(state.into_iter().chain(elements)),
            Repeat::Foldr => all.extend(elements.into_iter().chain(state)),
            Repeat::Map | Repeat::Map2 => all.extend(elements),
            Repeat::Mapi => all.extend([number].into_iter().chain(elements)),
            Repeat::Create { .. } => all.push(number),
        }
        let given = match callee {
            Callee::Instance(callee) => self.call_instance(*callee, &flat(all)),
            Callee::Builtin(builtin) => Some(self.call_builtin(*builtin, applied(all))),
        };
        if let Some(words) = given {
            match &iterations.state {
                Some(kind) => {
                    let words = self.convert(words, kind);
                    self.store_state(*to, words.scalars);
                }
                None => {
                    let any = self.any(words);
                    let (tag, bits) = (&any.scalars[0].text, &any.scalars[1].text);
                    let list = format!("ptr {}, i64 {tag}, i64 {bits}", iterations.items);
                    let is_there = self.help(Helper::Push, "i64", &list);
                    let failed = self.value(&format!("icmp eq i64 {is_there}, 0"));
                    self.give_up_if(&failed);
                }
            }
            let next = self.value(&format!("add i64 {index}, 1"));
            self.line(&format!("store i64 {next}, ptr {iteration}"));
            self.line(&format!("br label %i{at}.test"));
        }
        self.label(&format!("i{at}.done"));
    }

    /// Returns the elements of this iteration, whose ownership goes to the callee.
    fn elements(&mut self, iterations: &Iterations, index: &str) -> Vec<Words> {
        let mut elements = Vec::new();
        for source in &iterations.sources {
            let index = if iterations.repeat == Repeat::Foldr {
                let before = self.value(&format!("sub i64 {}, 1", iterations.n));
                self.value(&format!("sub i64 {before}, {index}"))
            } else {
                index.to_string()
            };
            let (cell, _) = self.element(source, &index);
            elements.push(self.read(&cell));
        }
        elements
    }

    /// Returns the length of the shortest sequence.
    fn shortest(&mut self, sources: &[Scalar]) -> String {
        let lengths: Vec<String> = sources.iter().map(|source| self.length(source)).collect();
        let mut lengths = lengths.into_iter();
        let first = lengths.next().unwrap_or_else(|| "0".to_string());
        lengths.fold(first, |shortest, length| {
            let is_less = self.value(&format!("icmp slt i64 {length}, {shortest}"));
            self.value(&format!("select i1 {is_less}, i64 {length}, i64 {shortest}"))
        })
    }

    fn store_state(&mut self, to: Slot, scalars: Vec<Scalar>) {
        for (number, Scalar { leaf, text }) in scalars.into_iter().enumerate() {
            let place = self.variable(to, BESIDE + 1 + number, leaf);
            self.line(&format!("store {} {text}, ptr {place}", leaf.ty()));
        }
    }

    fn load_state(&mut self, to: Slot, kind: &Kind) -> Words {
        let leaves = kind.leaves().into_iter().enumerate();
        let scalars = leaves.map(|(number, leaf)| {
            let place = self.variable(to, BESIDE + 1 + number, leaf);
            Scalar { leaf, text: self.value(&format!("load {}, ptr {place}", leaf.ty())) }
        });
        Words { kind: kind.clone(), scalars: scalars.collect() }
    }
}
