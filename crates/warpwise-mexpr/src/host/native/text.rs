//! Instances as text of LLVM IR.
//!
//! A slot is a variable per scalar, which LLVM makes a register. A call in tail position is one that LLVM promises to make
//! a jump, and one of the function itself goes back to its start. Functions give their scalars with a truth value that
//! says whether they have given up; more than [`IN_REGISTERS`] scalars go through the context. A function
//! that calls another looks first whether the stack has room.
//!
//! ```text
//! let f = lam n. lam acc. if eqi n 0 then acc else f (subi n 1) (addi n acc)
//!
//! define internal tailcc { i64, i1 } @f0(ptr %context, i64 %p0, i64 %p1)
//! ```

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::code::{Code, Instr, Slot, Use};
use super::infer::{Analysis, Callee, Instance, MOST_WORDS, Step};
use super::kinds::{Kind, Leaf};
use super::operations;

/// Functions give so many scalars in registers.
const IN_REGISTERS: usize = 2;

/// Where the fields of the context lie that the text is given, in bytes.
pub mod context {
    /// The address that the stack must not go below.
    pub const LIMIT: usize = 0;
    /// The words of the globals.
    pub const GLOBALS: usize = 8;
    /// A C function that computes mathematics: it takes what lies at [`WORLD`], the number of a built-in
    /// ([`ALL`](crate::builtins::ALL)), and two floats.
    pub const MATHEMATICS: usize = 16;
    /// An address that only that function knows.
    pub const WORLD: usize = 24;
    /// Room for results.
    pub const RESULTS: usize = 32;
    /// Its size.
    pub const SIZE: usize = RESULTS + 8 * super::MOST_WORDS;
}

const SURROUNDINGS: &str = "
declare ptr @llvm.addressofreturnaddress.p0()
declare double @llvm.sqrt.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.round.f64(double)
declare i64 @llvm.fptosi.sat.i64.f64(double)

!0 = !{!\"branch_weights\", i32 1, i32 1000000}
";

/// The name of the code of an entry.
pub(super) fn symbol(instance: usize) -> String {
    format!("host_entry_{instance}")
}

/// The text of entries and all that they need.
pub(super) fn module(
    code: &Code,
    analysis: &Analysis,
    globals: &[Option<(Kind, usize)>],
    entries: &[usize],
) -> String {
    let mut text = String::new();
    for number in analysis.needed(entries) {
        let it = &analysis.instances[number];
        let writer = Writer {
            code,
            analysis,
            globals,
            number,
            it,
            variables: BTreeSet::new(),
            text: String::new(),
            n_values: 0,
        };
        text.push_str(&writer.function());
    }
    entries.iter().for_each(|entry| write_entry(&analysis.instances[*entry], *entry, &mut text));
    text.push_str(SURROUNDINGS);
    text
}

/// The function that takes its arguments from words and puts its result there.
fn write_entry(it: &Instance, number: usize, text: &mut String) {
    let _ = writeln!(text, "define i32 @{}(ptr %context, ptr %words) {{", symbol(number));
    let mut arguments = String::new();
    for (index, leaf) in it.arguments.iter().flat_map(Kind::leaves).enumerate() {
        let _ = writeln!(text, "  %at{index} = getelementptr i64, ptr %words, i64 {index}");
        let ty = leaf.ty();
        if leaf == Leaf::Bool {
            let _ = writeln!(text, "  %byte{index} = load i8, ptr %at{index}");
            let _ = writeln!(text, "  %p{index} = icmp ne i8 %byte{index}, 0");
        } else {
            let _ = writeln!(text, "  %p{index} = load {ty}, ptr %at{index}");
        }
        let _ = write!(arguments, ", {ty} %p{index}");
    }
    let leaves = result_leaves(it);
    let ty = result_type(&leaves);
    let _ = writeln!(text, "  %result = call tailcc {ty} @f{number}(ptr %context{arguments})");
    for (index, leaf) in leaves.iter().enumerate() {
        let ty_of_leaf = leaf.ty();
        if leaves.len() <= IN_REGISTERS {
            let _ = writeln!(text, "  %r{index} = extractvalue {ty} %result, {index}");
        } else {
            let from = context::RESULTS + 8 * index;
            let _ = writeln!(text, "  %from{index} = getelementptr i8, ptr %context, i64 {from}");
            let _ = writeln!(text, "  %r{index} = load {ty_of_leaf}, ptr %from{index}");
        }
        let _ = writeln!(text, "  %to{index} = getelementptr i64, ptr %words, i64 {index}");
        match leaf {
            Leaf::Int | Leaf::Float => {
                let _ = writeln!(text, "  store {ty_of_leaf} %r{index}, ptr %to{index}");
            }
            Leaf::Char | Leaf::Bool => {
                let _ = writeln!(text, "  %wide{index} = zext {ty_of_leaf} %r{index} to i64");
                let _ = writeln!(text, "  store i64 %wide{index}, ptr %to{index}");
            }
        }
    }
    let flag = if leaves.len() <= IN_REGISTERS { leaves.len() } else { 0 };
    let _ = writeln!(text, "  %failed = extractvalue {ty} %result, {flag}");
    let _ = writeln!(text, "  %code = zext i1 %failed to i32\n  ret i32 %code\n}}\n");
}

/// The scalars that an instance gives; none if it never does.
fn result_leaves(it: &Instance) -> Vec<Leaf> {
    it.result.as_ref().map_or_else(Vec::new, Kind::leaves)
}

fn result_type(leaves: &[Leaf]) -> String {
    let in_registers = if leaves.len() <= IN_REGISTERS { leaves } else { &[] };
    let types: String = in_registers.iter().map(|leaf| format!("{}, ", leaf.ty())).collect();
    format!("{{ {types}i1 }}")
}

impl Leaf {
    pub(super) fn ty(self) -> &'static str {
        match self {
            Leaf::Int => "i64",
            Leaf::Float => "double",
            Leaf::Char => "i32",
            Leaf::Bool => "i1",
        }
    }
}

/// A scalar in the text: what it is, and its name or its digits.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub leaf: Leaf,
    pub text: String,
}

/// Writes an instance.
pub(super) struct Writer<'a> {
    code: &'a Code,
    analysis: &'a Analysis,
    globals: &'a [Option<(Kind, usize)>],
    number: usize,
    it: &'a Instance,
    /// The variables: slot, number among its scalars, scalar.
    variables: BTreeSet<(u32, usize, Leaf)>,
    text: String,
    n_values: usize,
}

impl Writer<'_> {
    fn function(mut self) -> String {
        let function = &self.code.functions[self.it.function.0 as usize];
        for (at, instr) in function.code.iter().enumerate() {
            let step = &self.it.steps[at];
            if step.before.is_none() {
                continue;
            }
            self.label(&format!("i{at}"));
            if step.is_end {
                self.line("br label %fail");
            } else {
                self.instr(at, instr, step);
            }
        }
        let leaves = result_leaves(self.it);
        let zeros: String = (if leaves.len() <= IN_REGISTERS { &leaves[..] } else { &[] })
            .iter()
            .map(|leaf| format!("{} {}, ", leaf.ty(), if *leaf == Leaf::Float { "0.0" } else { "0" }))
            .collect();
        let ty = result_type(&leaves);
        self.label("fail");
        self.line(&format!("ret {ty} {{ {zeros}i1 true }}"));
        let head = self.head(&ty);
        format!("; {}\n{head}{}}}\n\n", function.name.escape_default(), self.text)
    }

    /// The start of a function, up to its first instruction.
    fn head(&mut self, ty: &str) -> String {
        let mut stores = String::new();
        let mut parameters = String::new();
        let mut index = 0;
        for (slot, kind) in self.it.arguments.iter().enumerate() {
            for (number, leaf) in kind.leaves().into_iter().enumerate() {
                self.variables.insert((slot as u32, number, leaf));
                let ty = leaf.ty();
                let _ = write!(parameters, ", {ty} %p{index}");
                let variable = variable(slot as u32, number, leaf);
                let _ = writeln!(stores, "  store {ty} %p{index}, ptr {variable}");
                index += 1;
            }
        }
        let number = self.number;
        let mut head = format!("define internal tailcc {ty} @f{number}(ptr %context{parameters}) {{\n");
        for (slot, number, leaf) in &self.variables {
            let _ = writeln!(head, "  {} = alloca {}", variable(*slot, *number, *leaf), leaf.ty());
        }
        head.push_str(&stores);
        if self.calls() {
            head.push_str("  %here = call ptr @llvm.addressofreturnaddress.p0()\n");
            head.push_str("  %limit = load ptr, ptr %context\n");
            head.push_str("  %full = icmp ult ptr %here, %limit\n");
            head.push_str("  br i1 %full, label %fail, label %start, !prof !0\n");
        } else {
            head.push_str("  br label %start\n");
        }
        head.push_str("start:\n  br label %i0\n");
        head
    }

    /// Whether it calls functions otherwise than in tail position.
    fn calls(&self) -> bool {
        let instrs = &self.code.functions[self.it.function.0 as usize].code;
        instrs.iter().zip(&self.it.steps).any(|(instr, step)| {
            let is_tail = matches!(instr, Instr::TailDirect { .. } | Instr::TailCall { .. });
            matches!(step.callee, Some(Callee::Instance(_))) && !is_tail
        })
    }

    fn instr(&mut self, at: usize, instr: &Instr, step: &Step) {
        match instr {
            Instr::Move { to, from } => {
                let values = self.load(*from, step);
                self.give(at, *to, values);
            }
            Instr::Int { to, value } => self.constant(at, *to, Leaf::Int, value.to_string()),
            Instr::Float { to, value } => {
                self.constant(at, *to, Leaf::Float, format!("0x{:016X}", value.to_bits()));
            }
            Instr::Char { to, value } => self.constant(at, *to, Leaf::Char, u32::from(*value).to_string()),
            Instr::Bool { to, value } => self.constant(at, *to, Leaf::Bool, value.to_string()),
            Instr::Unit { to } | Instr::BuiltinValue { to, .. } => self.give(at, *to, Vec::new()),
            Instr::Global { to, global } => {
                let values = self.global(*global);
                self.give(at, *to, values);
            }
            Instr::Record { to, fields: parts, .. } | Instr::Closure { to, captured: parts, .. } => {
                let values = self.load_all(parts, step);
                self.give(at, *to, values);
            }
            Instr::Project { to, from, field } => {
                let (kind, first) = self.field(*from, *field, step);
                let values = self.load(*from, step).into_iter().skip(first).take(kind.leaves().len());
                self.give(at, *to, values.collect());
            }
            Instr::Update { to, from, field, value } => {
                let (kind, first) = self.field(*from, *field, step);
                let mut values = self.load(*from, step);
                values.splice(first..first + kind.leaves().len(), self.load(*value, step));
                self.give(at, *to, values);
            }
            Instr::Direct { to, arguments, .. } => {
                let arguments = self.load_all(arguments, step);
                self.called(at, *to, arguments, step);
            }
            Instr::Call { to, function, arguments } => {
                let mut all = self.load(*function, step);
                all.extend(self.load_all(arguments, step));
                self.called(at, *to, all, step);
            }
            Instr::TailDirect { arguments, .. } => {
                let arguments = self.load_all(arguments, step);
                self.tail_call(arguments, step);
            }
            Instr::TailCall { function, arguments } => {
                let mut all = self.load(*function, step);
                all.extend(self.load_all(arguments, step));
                self.tail_call(all, step);
            }
            Instr::Builtin { to, builtin: crate::builtins::Builtin::SeqLoopAcc, arguments } => {
                self.repeat(at, *to, arguments, step);
            }
            Instr::Builtin { to, arguments, .. } => {
                let arguments = self.load_all(arguments, step);
                self.called(at, *to, arguments, step);
            }
            Instr::Return { from } => {
                let values = self.load(*from, step);
                self.ret(&values);
            }
            Instr::Jump { target } => self.line(&format!("br label %i{target}")),
            Instr::UnlessBool { slot, value, target } => {
                self.test(at, *slot, i64::from(*value), *target, step)
            }
            Instr::UnlessInt { slot, value, target } => self.test(at, *slot, *value, *target, step),
            Instr::UnlessChar { slot, value, target } => {
                self.test(at, *slot, i64::from(u32::from(*value)), *target, step);
            }
            Instr::Never
            | Instr::String { .. }
            | Instr::SetGlobal { .. }
            | Instr::Construct { .. }
            | Instr::Held { .. }
            | Instr::Seq { .. }
            | Instr::Item { .. }
            | Instr::Middle { .. }
            | Instr::Accelerate { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. }
            | Instr::Equal { .. }
            | Instr::Passed
            | Instr::Failed { .. } => self.line("br label %fail"),
        }
    }

    fn constant(&mut self, at: usize, to: Slot, leaf: Leaf, text: String) {
        self.give(at, to, vec![Scalar { leaf, text }]);
    }

    fn field(&self, from: Use, field: u32, step: &Step) -> (Kind, usize) {
        let (kind, first) = kind_of(from.slot, step).field(field).expect("it was found to have this field");
        (kind.clone(), first)
    }

    fn global(&mut self, global: Slot) -> Vec<Scalar> {
        let (kind, first) =
            self.globals[global.0 as usize].clone().expect("it was found to be made of scalars");
        let globals = self.context_field(context::GLOBALS, "ptr");
        let leaves = kind.leaves().into_iter().enumerate();
        leaves
            .map(|(index, leaf)| {
                let place = self.value(&format!("getelementptr i64, ptr {globals}, i64 {}", first + index));
                let text = match leaf {
                    Leaf::Bool => {
                        let byte = self.value(&format!("load i8, ptr {place}"));
                        self.value(&format!("icmp ne i8 {byte}, 0"))
                    }
                    Leaf::Int | Leaf::Float | Leaf::Char => {
                        self.value(&format!("load {}, ptr {place}", leaf.ty()))
                    }
                };
                Scalar { leaf, text }
            })
            .collect()
    }

    fn test(&mut self, at: usize, slot: Slot, value: i64, target: u32, step: &Step) {
        let found = self.load(Use { slot, last: false }, step);
        let [Scalar { leaf, text }] = &*found else { return self.line("br label %fail") };
        let value = if *leaf == Leaf::Bool { (value != 0).to_string() } else { value.to_string() };
        let is_it = self.value(&format!("icmp eq {} {text}, {value}", leaf.ty()));
        self.line(&format!("br i1 {is_it}, label %i{}, label %i{target}", at + 1));
    }

    // Calls

    /// Calls what a step calls, or keeps the arguments, and goes on.
    fn called(&mut self, at: usize, to: Slot, arguments: Vec<Scalar>, step: &Step) {
        match step.callee {
            Some(callee) => match self.call(callee, &arguments) {
                Some(values) => self.give(at, to, values),
                None => self.line("br label %fail"),
            },
            None => self.give(at, to, arguments),
        }
    }

    /// What a call gives; nothing if it never does.
    fn call(&mut self, callee: Callee, arguments: &[Scalar]) -> Option<Vec<Scalar>> {
        let number = match callee {
            Callee::Builtin(builtin) => return Some(vec![operations::scalar(self, builtin, arguments)]),
            Callee::Instance(number) => number,
        };
        let it = &self.analysis.instances[number];
        let leaves = result_leaves(it);
        let ty = result_type(&leaves);
        let result =
            self.value(&format!("notail call tailcc {ty} @f{number}(ptr %context{})", list(arguments)));
        let in_registers = leaves.len() <= IN_REGISTERS;
        let flag = if in_registers { leaves.len() } else { 0 };
        let failed = self.value(&format!("extractvalue {ty} {result}, {flag}"));
        self.give_up_if(&failed);
        it.result.as_ref()?;
        let values = leaves.into_iter().enumerate().map(|(index, leaf)| {
            let text = if in_registers {
                self.value(&format!("extractvalue {ty} {result}, {index}"))
            } else {
                self.context_field(context::RESULTS + 8 * index, leaf.ty())
            };
            Scalar { leaf, text }
        });
        Some(values.collect())
    }

    fn tail_call(&mut self, arguments: Vec<Scalar>, step: &Step) {
        match step.callee {
            Some(Callee::Instance(number)) if number == self.number => {
                let kinds = self.it.arguments.clone();
                let mut arguments = arguments.into_iter();
                for (slot, kind) in kinds.iter().enumerate() {
                    let values = arguments.by_ref().take(kind.leaves().len()).collect();
                    self.store(Slot(slot as u32), values);
                }
                self.line("br label %start");
            }
            Some(Callee::Instance(number)) if self.analysis.instances[number].result == self.it.result => {
                let ty = result_type(&result_leaves(self.it));
                let call = format!("musttail call tailcc {ty} @f{number}(ptr %context{})", list(&arguments));
                let result = self.value(&call);
                self.line(&format!("ret {ty} {result}"));
            }
            // One that gives nothing has another type.
            Some(callee) => match self.call(callee, &arguments) {
                Some(values) => self.ret(&values),
                None => self.line("br label %fail"),
            },
            None => self.ret(&arguments),
        }
    }

    fn ret(&mut self, values: &[Scalar]) {
        let leaves: Vec<Leaf> = values.iter().map(|value| value.leaf).collect();
        debug_assert!(leaves.len() <= MOST_WORDS);
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

    /// `seqLoopAcc`.
    fn repeat(&mut self, at: usize, to: Slot, arguments: &[Use], step: &Step) {
        let ([state, count, function], Some(callee)) = (arguments, step.callee) else {
            return self.line("br label %fail");
        };
        let (initial, captured) = (self.load(*state, step), self.load(*function, step));
        let Some(count) = self.load(*count, step).pop() else { return self.line("br label %fail") };
        // The state lies in the slot of the result, and the number of the round in a variable beside it.
        let leaves: Vec<Leaf> = initial.iter().map(|value| value.leaf).collect();
        self.store(to, initial);
        let round = (to.0, leaves.len(), Leaf::Int);
        self.variables.insert(round);
        let round = variable(round.0, round.1, round.2);
        self.line(&format!("store i64 0, ptr {round}"));
        self.line(&format!("br label %i{at}.test"));
        self.label(&format!("i{at}.test"));
        let index = self.value(&format!("load i64, ptr {round}"));
        let goes_on = self.value(&format!("icmp slt i64 {index}, {}", count.text));
        self.line(&format!("br i1 {goes_on}, label %i{at}.round, label %i{}", at + 1));
        self.label(&format!("i{at}.round"));
        let mut all = captured;
        for (number, leaf) in leaves.iter().enumerate() {
            let text = self.value(&format!("load {}, ptr {}", leaf.ty(), variable(to.0, number, *leaf)));
            all.push(Scalar { leaf: *leaf, text });
        }
        all.push(Scalar { leaf: Leaf::Int, text: index.clone() });
        match self.call(callee, &all) {
            Some(values) => {
                self.store(to, values);
                let next = self.value(&format!("add i64 {index}, 1"));
                self.line(&format!("store i64 {next}, ptr {round}"));
                self.line(&format!("br label %i{at}.test"));
            }
            None => self.line("br label %fail"),
        }
    }

    // Variables and values

    /// Stores values and goes on with the next instruction.
    fn give(&mut self, at: usize, to: Slot, values: Vec<Scalar>) {
        self.store(to, values);
        self.line(&format!("br label %i{}", at + 1));
    }

    fn store(&mut self, to: Slot, values: Vec<Scalar>) {
        for (number, Scalar { leaf, text }) in values.into_iter().enumerate() {
            self.variables.insert((to.0, number, leaf));
            self.line(&format!("store {} {text}, ptr {}", leaf.ty(), variable(to.0, number, leaf)));
        }
    }

    fn load(&mut self, from: Use, step: &Step) -> Vec<Scalar> {
        let leaves = kind_of(from.slot, step).leaves().into_iter().enumerate();
        leaves
            .map(|(number, leaf)| {
                self.variables.insert((from.slot.0, number, leaf));
                let place = variable(from.slot.0, number, leaf);
                Scalar { leaf, text: self.value(&format!("load {}, ptr {place}", leaf.ty())) }
            })
            .collect()
    }

    fn load_all(&mut self, operands: &[Use], step: &Step) -> Vec<Scalar> {
        operands.iter().flat_map(|operand| self.load(*operand, step)).collect()
    }

    /// A field of the context.
    pub(super) fn context_field(&mut self, offset: usize, ty: &str) -> String {
        let place = self.value(&format!("getelementptr i8, ptr %context, i64 {offset}"));
        self.value(&format!("load {ty}, ptr {place}"))
    }

    /// A new value.
    pub(super) fn value(&mut self, operation: &str) -> String {
        let name = format!("%v{}", self.n_values);
        self.n_values += 1;
        self.line(&format!("{name} = {operation}"));
        name
    }

    /// Gives up if a truth value holds.
    pub(super) fn give_up_if(&mut self, condition: &str) {
        let on = format!("on{}", self.n_values);
        self.n_values += 1;
        self.line(&format!("br i1 {condition}, label %fail, label %{on}, !prof !0"));
        self.label(&on);
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }
}

/// What a slot holds before a step.
fn kind_of(slot: Slot, step: &Step) -> &Kind {
    let before = step.before.as_ref().and_then(|slots| slots[slot.0 as usize].as_ref());
    before.expect("a slot that is read was found to hold something")
}

fn variable(slot: u32, number: usize, leaf: Leaf) -> String {
    format!("%s{slot}.{number}.{}", leaf.ty())
}

/// Arguments after the context.
fn list(values: &[Scalar]) -> String {
    values.iter().map(|Scalar { leaf, text }| format!(", {} {text}", leaf.ty())).collect()
}
