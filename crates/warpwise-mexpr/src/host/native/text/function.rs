//! Writing of one instance: its instructions in order, and the ownership of its slots between them.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::super::code::{Instr, Slot, Use};
use super::super::infer::{Callee, Instance, Slots};
use super::super::kinds::{Kind, Leaf, Shared};
use super::super::runtime::Helper;
use super::{IN_REGISTERS, Module, Scalar, Words, context, result_leaves, result_type};

/// Values that are owned while an instruction is executed, besides those of slots.
pub(super) enum InHand {
    Words(Vec<Scalar>),
    /// Elements of a sequence under construction.
    Items(String),
}

/// The writer of an instance.
pub(in crate::host::native) struct Writer<'a> {
    pub(super) module: &'a Module<'a>,
    pub(super) number: usize,
    pub(super) it: &'a Instance,
    /// The kinds of the slots at the current instruction.
    pub(super) state: Slots,
    pub(super) in_hand: Vec<InHand>,
    /// The variables: slot, index among its words, type of the word.
    variables: BTreeSet<(u32, usize, Leaf)>,
    /// Number of values that need room in memory.
    n_cells: usize,
    text: String,
    /// The code that releases all owned values if the function gives up.
    cold: String,
    n_values: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(module: &'a Module<'a>, number: usize) -> Writer<'a> {
        Writer {
            module,
            number,
            it: &module.analysis.instances[number],
            state: Slots::new(),
            in_hand: Vec::new(),
            variables: BTreeSet::new(),
            n_cells: 0,
            text: String::new(),
            cold: String::new(),
            n_values: 0,
        }
    }

    /// Returns the text of the function.
    pub(super) fn function(mut self) -> String {
        let function = &self.module.code.functions[self.it.function.0 as usize];
        let it = self.it;
        for (at, (instr, step)) in function.code.iter().zip(&it.steps).enumerate() {
            let Some(before) = &step.before else { continue };
            self.state.clone_from(before);
            self.in_hand.clear();
            self.label(&format!("i{at}"));
            if step.is_end {
                self.give_up();
            } else {
                self.instr(at, instr, step);
            }
        }
        let leaves = result_leaves(self.it);
        let zeros: String = (if leaves.len() <= IN_REGISTERS { &leaves[..] } else { &[] })
            .iter()
            .map(|leaf| format!("{} {}, ", leaf.ty(), leaf.zero()))
            .collect();
        let ty = result_type(&leaves);
        let head = self.head(&ty);
        let (text, cold) = (&self.text, &self.cold);
        let name = function.name.escape_default();
        format!("; {name}\n{head}{text}{cold}fail:\n  ret {ty} {{ {zeros}i1 true }}\n}}\n\n")
    }

    /// Returns the start of a function, up to its first instruction.
    fn head(&mut self, ty: &str) -> String {
        let mut stores = String::new();
        let mut parameters = String::new();
        let mut releases = String::new();
        let mut index = 0;
        for (slot, kind) in self.it.arguments.iter().enumerate() {
            let mut words = Vec::new();
            for (number, leaf) in kind.leaves().into_iter().enumerate() {
                self.variables.insert((slot as u32, number, leaf));
                let ty = leaf.ty();
                let _ = write!(parameters, ", {ty} %p{index}");
                let variable = variable(slot as u32, number, leaf);
                let _ = writeln!(stores, "  store {ty} %p{index}, ptr {variable}");
                words.push(Scalar { leaf, text: format!("%p{index}") });
                index += 1;
            }
            let text = std::mem::take(&mut self.text);
            self.release(&words);
            releases.push_str(&std::mem::replace(&mut self.text, text));
        }
        let number = self.number;
        let mut head = format!("define internal tailcc {ty} @f{number}(ptr %context{parameters}) {{\n");
        for (slot, number, leaf) in &self.variables {
            let _ = writeln!(head, "  {} = alloca {}", variable(*slot, *number, *leaf), leaf.ty());
        }
        if self.n_cells > 0 {
            let _ = writeln!(head, "  %cells = alloca [{} x {{ i64, i64 }}], align 16", self.n_cells);
        }
        head.push_str(&stores);
        if self.looks_at_stack() {
            head.push_str("  %here = call ptr @llvm.addressofreturnaddress.p0()\n");
            head.push_str("  %limit = load ptr, ptr %context\n");
            head.push_str("  %full = icmp ult ptr %here, %limit\n");
            head.push_str("  br i1 %full, label %full_stack, label %start, !prof !0\n");
            let _ = write!(head, "full_stack:\n{releases}  br label %fail\n");
        } else {
            head.push_str("  br label %start\n");
        }
        head.push_str("start:\n  br label %i0\n");
        head
    }

    /// Returns whether the function checks for room on the stack. It does if it makes calls that are not tail calls; or if it
    /// makes tail calls and takes shared values, since memory may run out in a cycle of such calls.
    fn looks_at_stack(&self) -> bool {
        self.calls(false) || self.it.arguments.iter().any(is_counted) && self.calls(true)
    }

    /// Returns whether the function calls functions, in tail position or in other positions.
    fn calls(&self, in_tail_position: bool) -> bool {
        let instrs = &self.module.code.functions[self.it.function.0 as usize].code;
        instrs.iter().zip(&self.it.steps).any(|(instr, step)| {
            let is_tail = matches!(instr, Instr::TailDirect { .. } | Instr::TailCall { .. });
            matches!(step.callee, Some(Callee::Instance(_))) && is_tail == in_tail_position
        })
    }

    // Slots

    /// Returns the words of a slot, which keeps their ownership.
    pub(super) fn look(&mut self, slot: Slot) -> Words {
        let kind = self.state[slot.0 as usize].clone().expect("a slot that is read holds something");
        let leaves = kind.leaves().into_iter().enumerate();
        let scalars = leaves
            .map(|(number, leaf)| {
                self.variables.insert((slot.0, number, leaf));
                let place = variable(slot.0, number, leaf);
                Scalar { leaf, text: self.value(&format!("load {}, ptr {place}", leaf.ty())) }
            })
            .collect();
        Words { kind, scalars }
    }

    /// Takes the words of a slot in hand: moves them if it is the last use, otherwise adds an owner.
    pub(super) fn take(&mut self, from: Use) -> Words {
        let words = self.look(from.slot);
        if from.last {
            self.state[from.slot.0 as usize] = None;
        } else {
            self.retain(&words.scalars);
        }
        self.in_hand.push(InHand::Words(words.scalars.clone()));
        words
    }

    pub(super) fn take_all(&mut self, operands: &[Use]) -> Vec<Words> {
        operands.iter().map(|operand| self.take(*operand)).collect()
    }

    /// Releases the value of a slot after its last use.
    pub(super) fn done(&mut self, operand: Use) {
        if operand.last {
            self.empty(operand.slot);
        }
    }

    fn empty(&mut self, slot: Slot) {
        if self.state[slot.0 as usize].as_ref().is_some_and(is_counted) {
            let words = self.look(slot);
            self.release(&words.scalars);
        }
        self.state[slot.0 as usize] = None;
    }

    /// Releases the values of all slots.
    pub(super) fn empty_all(&mut self) {
        (0..self.state.len()).for_each(|slot| self.empty(Slot(slot as u32)));
    }

    /// Stores a value in a slot and continues with the next instruction.
    pub(super) fn give(&mut self, at: usize, to: Slot, words: Words) {
        self.set(to, words);
        self.go(at + 1);
    }

    pub(super) fn set(&mut self, to: Slot, words: Words) {
        self.empty(to);
        self.store(to, words.scalars);
        self.state[to.0 as usize] = Some(words.kind);
    }

    pub(super) fn store(&mut self, to: Slot, values: Vec<Scalar>) {
        for (number, Scalar { leaf, text }) in values.into_iter().enumerate() {
            let place = self.variable(to, number, leaf);
            self.line(&format!("store {} {text}, ptr {place}", leaf.ty()));
        }
    }

    /// Returns the variable of a word of a slot.
    pub(super) fn variable(&mut self, slot: Slot, number: usize, leaf: Leaf) -> String {
        self.variables.insert((slot.0, number, leaf));
        variable(slot.0, number, leaf)
    }

    // Control flow

    /// Goes to an instruction, after converting the slots to the kinds that they have there.
    pub(super) fn go(&mut self, target: usize) {
        let it = self.it;
        let wanted = it.steps[target].before.as_ref().expect("what is gone to is reached");
        for (slot, wanted) in wanted.iter().enumerate() {
            let to = Slot(slot as u32);
            match (&self.state[slot], wanted) {
                (Some(_), None) => self.empty(to),
                (Some(kind), Some(wanted)) if kind != wanted => {
                    let words = self.look(to);
                    let words = self.convert(words, wanted);
                    self.store(to, words.scalars);
                    self.state[slot] = Some(words.kind);
                }
                _ => {}
            }
        }
        self.line(&format!("br label %i{target}"));
    }

    /// Branches to one of two instructions.
    pub(super) fn branch(&mut self, condition: &str, then: usize, otherwise: usize) {
        let number = self.fresh();
        self.line(&format!("br i1 {condition}, label %t{number}, label %e{number}"));
        let state = self.state.clone();
        self.label(&format!("t{number}"));
        self.go(then);
        self.state = state;
        self.label(&format!("e{number}"));
        self.go(otherwise);
    }

    /// Gives up, after releasing all owned values.
    pub(super) fn give_up(&mut self) {
        let label = self.fail_label();
        self.line(&format!("br label %{label}"));
    }

    /// Gives up if a truth value holds.
    pub(in crate::host::native) fn give_up_if(&mut self, condition: &str) {
        let fail = self.fail_label();
        let on = format!("on{}", self.fresh());
        self.line(&format!("br i1 {condition}, label %{fail}, label %{on}, !prof !0"));
        self.label(&on);
    }

    /// Gives up if memory has run out.
    pub(in crate::host::native) fn give_up_if_full(&mut self) {
        let limit = self.context_field(context::LIMIT, "i64");
        let is_full = self.value(&format!("icmp eq i64 {limit}, {}", context::FULL as i64));
        self.give_up_if(&is_full);
    }

    /// Returns the label of code that releases all values owned here, and gives up.
    fn fail_label(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        let state = self.state.clone();
        let in_hand = std::mem::take(&mut self.in_hand);
        for held in &in_hand {
            match held {
                InHand::Words(scalars) => self.release(scalars),
                InHand::Items(items) => {
                    let seq = self.help(Helper::Finish, "i64", &format!("ptr {items}, i64 0"));
                    self.help_nothing(
                        Helper::Release,
                        &format!("i64 {}, i64 {seq}", super::super::super::value::tags::SEQ),
                    );
                }
            }
        }
        self.empty_all();
        (self.state, self.in_hand) = (state, in_hand);
        let releases = std::mem::replace(&mut self.text, text);
        if releases.is_empty() {
            return "fail".to_string();
        }
        let label = format!("cold{}", self.fresh());
        let _ = write!(self.cold, "{label}:\n{releases}  br label %fail\n");
        label
    }

    // Text

    /// Returns the address of room for a value in memory.
    pub(super) fn cell(&mut self, number: usize) -> String {
        self.n_cells = self.n_cells.max(number + 1);
        self.value(&format!("getelementptr i8, ptr %cells, i64 {}", 16 * number))
    }

    /// Calls a function of the table.
    pub(super) fn help(&mut self, helper: Helper, ty: &str, arguments: &str) -> String {
        let function = self.helper(helper);
        self.value(&format!("call {ty} {function}({arguments})"))
    }

    pub(super) fn help_nothing(&mut self, helper: Helper, arguments: &str) {
        let function = self.helper(helper);
        self.line(&format!("call void {function}({arguments})"));
    }

    fn helper(&mut self, helper: Helper) -> String {
        let table = self.context_field(context::TABLE, "ptr");
        let place = self.value(&format!("getelementptr ptr, ptr {table}, i64 {}", helper as usize));
        self.value(&format!("load ptr, ptr {place}"))
    }

    /// Loads a field of the context.
    pub(in crate::host::native) fn context_field(&mut self, offset: usize, ty: &str) -> String {
        let place = self.value(&format!("getelementptr i8, ptr %context, i64 {offset}"));
        self.value(&format!("load {ty}, ptr {place}"))
    }

    /// Emits an operation and returns the name of its result.
    pub(in crate::host::native) fn value(&mut self, operation: &str) -> String {
        let name = format!("%v{}", self.fresh());
        self.line(&format!("{name} = {operation}"));
        name
    }

    pub(super) fn fresh(&mut self) -> usize {
        self.n_values += 1;
        self.n_values
    }

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    pub(super) fn label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }
}

/// Returns whether a value of a kind has reference-counted words.
pub(super) fn is_counted(kind: &Kind) -> bool {
    kind.leaves().into_iter().any(Leaf::is_counted)
}

fn variable(slot: u32, number: usize, leaf: Leaf) -> String {
    let name = match leaf {
        Leaf::Int => "i",
        Leaf::Float => "f",
        Leaf::Char => "c",
        Leaf::Bool => "b",
        Leaf::Shared(Shared::Seq) => "seq",
        Leaf::Shared(Shared::Record) => "record",
        Leaf::Shared(Shared::Con) => "con",
        Leaf::Shared(Shared::Tensor) => "tensor",
        Leaf::Tag => "t",
        Leaf::Bits => "x",
    };
    format!("%s{slot}.{number}.{name}")
}
