//! The parser of operations.

use warpwise_ir::entity::Entity;
use warpwise_ir::parse::{Cursor, Parsed};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp};
use warpwise_runtime::machine::Schedule;

use super::Parser;
use crate::op::{AtomicOp, Block, Label, Op, Order};
use crate::program::{CheckId, Launch};
use crate::types::{Mem, Operand, Reg, StridedView};

/// Placeholder for an element type that only follows from the types of registers.
const LATER: ScalarType = ScalarType::I64;

impl Parser<'_> {
    /// Parses an operation, with its semicolon if it has no block.
    pub(super) fn op(&mut self) -> Parsed<Op> {
        if let Some(op) = self.nesting_op()? {
            return Ok(op);
        }
        let op = if self.register().is_some() || self.at_memory() {
            self.assignment()?
        } else {
            let word = self.peek().as_word().ok_or_else(|| self.expected("an operation"))?;
            self.advance();
            match self.statement(word)? {
                Some(op) => op,
                None => {
                    self.retreat();
                    return Err(self.expected("an operation"));
                }
            }
        };
        self.mark(";")?;
        Ok(op)
    }

    /// Parses an operation with blocks, if one comes next.
    fn nesting_op(&mut self) -> Parsed<Option<Op>> {
        let op = match self.peek().as_word() {
            Some("if") => {
                self.advance();
                let cond = self.operand()?;
                let then_block = self.block()?;
                let else_block = if self.eat_word("else") { self.block()? } else { Block::new() };
                Op::If { cond, then_block, else_block }
            }
            Some("for") => {
                self.advance();
                let index = self.assigned()?;
                self.word("in")?;
                let from = self.operand()?;
                self.word("to")?;
                let to = self.operand()?;
                self.word("step")?;
                let step = self.number()?;
                Op::For { index, from, to, step, body: self.block()? }
            }
            Some("while") => {
                self.advance();
                let test = self.block()?;
                let cond = self.operand()?;
                self.word("do")?;
                Op::While { test, cond, body: self.block()? }
            }
            Some("scope") => {
                self.advance();
                Op::Scope { label: self.label()?, body: self.block()? }
            }
            Some("locked") => {
                self.advance();
                let (mem, index) = self.place()?;
                Op::Locked { mem, index, body: self.block()? }
            }
            Some(_) | None => return Ok(None),
        };
        Ok(Some(op))
    }

    fn block(&mut self) -> Parsed<Block> {
        self.mark("{")?;
        self.block_rest()
    }

    /// Parses an operation that begins with its own word, which has been taken.
    fn statement(&mut self, word: &str) -> Parsed<Option<Op>> {
        let op = match word {
            "store" => {
                let stream = self.eat_word("past");
                let (mem, index, value) = self.set_place()?;
                Op::Store { mem, index, value, elem: LATER, mask: self.mask()?, stream }
            }
            "claim" => {
                let (mem, index) = self.place()?;
                self.mark(":")?;
                Op::Claim { mem, index, elem: self.scalar_type()? }
            }
            "compress" => {
                let spare = self.eat_word("spare");
                let (mem, index, value) = self.set_place()?;
                self.word("where")?;
                Op::CompressStore { mem, index, value, elem: LATER, mask: self.operand()?, spare }
            }
            "atomic" => {
                let op = self.atomic_op()?;
                let (mem, index, value) = self.set_place()?;
                Op::Atomic { op, mem, index, value, elem: LATER, mask: self.mask()? }
            }
            "reset" => Op::ArenaReset { mark: self.operand()? },
            "leave" => Op::Leave { label: self.label()? },
            "fail" => {
                let check = self.check_id()?;
                self.word("at")?;
                Op::Fail { check, iteration: self.operand()?, values: self.list("(", ")", Self::operand)? }
            }
            "wait" => {
                let (mem, index) = self.place()?;
                Op::WaitFlag { mem, index }
            }
            "signal" => {
                let (mem, index) = self.place()?;
                Op::SetFlag { mem, index }
            }
            "barrier" => Op::Barrier,
            "publish" => {
                let order = self.order();
                let (mem, index, value) = self.set_place()?;
                Op::Publish { mem, index, value, order }
            }
            "release" => Op::Release { mem: self.memory()? },
            "launch" => Op::Launch(Box::new(self.launch()?)),
            "copy" => {
                let (shape, elem) = (self.shape()?, self.scalar_type()?);
                let dst = self.view()?;
                self.mark("=")?;
                Op::Copy { elem, shape, dst, src: self.view()? }
            }
            "fill" => {
                let mem = self.memory()?;
                self.mark("[")?;
                let index = self.operand()?;
                self.mark(";")?;
                let count = self.operand()?;
                self.mark("]")?;
                self.mark("=")?;
                Op::Fill { mem, index, count, value: self.operand()?, elem: LATER }
            }
            "call" => self.call(Vec::new(), Vec::new())?,
            _ => return Ok(None),
        };
        Ok(Some(op))
    }

    /// Parses `x.1 = ...`, `xs@0 = ...`, or several results of a call.
    fn assignment(&mut self) -> Parsed<Op> {
        let (mut regs, mut mems) = (Vec::new(), Vec::new());
        self.separated(|p| {
            if p.at_memory() {
                mems.push(p.pointer()?)
            } else {
                regs.push(p.assigned()?)
            }
            Ok(())
        })?;
        self.mark("=")?;
        if self.eat_word("call") {
            return self.call(regs, mems);
        }
        match (&regs[..], &mems[..]) {
            (&[dst], []) => self.value(dst),
            ([], &[dst]) if self.eat_word("alloc") => Ok(Op::Alloc { dst, bytes: self.operand()? }),
            ([], &[dst]) if self.eat_word("arena") => Ok(Op::ArenaAlloc { dst, bytes: self.operand()? }),
            ([], &[dst]) => Ok(Op::SetMem { dst, src: self.memory()? }),
            _ => Err(self.expected("`call`")),
        }
    }

    /// Parses the right-hand side of an assignment to a register.
    fn value(&mut self, dst: Reg) -> Parsed<Op> {
        let word = match self.peek().as_word() {
            Some(word) if self.register().is_none() && !word.contains('.') => word,
            Some(_) | None => return self.moved(dst),
        };
        if let Some(op) = self.operator(dst, word)? {
            return Ok(op);
        }
        self.advance();
        let op = match word {
            "select" => Op::Select { dst, cond: self.operand()?, x: self.operand()?, y: self.operand()? },
            "lanes" => Op::LaneIds { dst },
            "insert" => {
                let x = self.operand()?;
                self.word("at")?;
                Op::Insert { dst, x, lane: self.operand()? }
            }
            "shuffle" => Op::Shuffle { dst, x: self.operand()?, y: self.operand()?, lanes: self.runs()? },
            "any" => Op::Any { dst, mask: self.operand()? },
            "all" => Op::All { dst, mask: self.operand()? },
            "count" => Op::Count { dst, mask: self.operand()? },
            "first" => Op::First { dst, mask: self.operand()? },
            "load" => {
                let (mem, index) = self.place()?;
                let ahead = if self.eat_word("ahead") { Some(self.operand()?) } else { None };
                Op::Load { dst, mem, index, mask: self.mask()?, ahead }
            }
            "mark" => Op::ArenaMark { dst },
            "ticket" => {
                let (mem, index) = self.place()?;
                Op::Ticket { dst, mem, index }
            }
            "await" => {
                let order = self.order();
                let (mem, index) = self.place()?;
                Op::Await { dst, mem, index, order }
            }
            "threads" => Op::Threads { dst },
            "tuned" => {
                let name = self.text()?;
                self.word("default")?;
                let default = self.operand()?.as_int();
                Op::Tuned { dst, name, default: default.ok_or_else(|| self.expected("a number before"))? }
            }
            _ => {
                self.retreat();
                return self.moved(dst);
            }
        };
        Ok(op)
    }

    /// Parses the application of a scalar operator, if the word is a mnemonic.
    fn operator(&mut self, dst: Reg, word: &str) -> Parsed<Option<Op>> {
        self.advance();
        let op = if let Some(op) = UnaryOp::from_mnemonic(word) {
            Op::Unary { dst, op, x: self.operand()? }
        } else if let Some(op) = BinaryOp::from_mnemonic(word) {
            Op::Binary { dst, op, x: self.operand()?, y: self.operand()? }
        } else if let Some(op) = TernaryOp::from_mnemonic(word) {
            Op::Ternary { dst, op, x: self.operand()?, y: self.operand()?, z: self.operand()? }
        } else if let Some(op) = CompareOp::from_mnemonic(word) {
            Op::Compare { dst, op, x: self.operand()?, y: self.operand()? }
        } else if let Some(op) = ConvertOp::from_mnemonic(word) {
            Op::Convert { dst, op, from: LATER, x: self.operand()? }
        } else {
            self.retreat();
            return Ok(None);
        };
        Ok(Some(op))
    }

    /// Parses an operand that is moved, or one of its lanes.
    fn moved(&mut self, dst: Reg) -> Parsed<Op> {
        let x = self.operand()?;
        if !self.eat("[") {
            return Ok(Op::Move { dst, x });
        }
        let lane = self.operand()?;
        self.mark("]")?;
        Ok(Op::Extract { dst, x, lane })
    }

    /// Parses a call whose word has been taken.
    fn call(&mut self, results: Vec<Reg>, mem_results: Vec<Mem>) -> Parsed<Op> {
        let position = self.peek().as_name().and_then(|name| self.functions.get(name).copied());
        let function = self.take(position, "a host function's name")?;
        let (args, mem_args) = self.arguments()?;
        self.word("too")?;
        self.word("deep")?;
        Ok(Op::Call { function, args, mem_args, results, mem_results, too_deep: self.check_id()? })
    }

    fn launch(&mut self) -> Parsed<Launch> {
        let kernel = self.kernel_name()?;
        let (args, mem_args) = self.arguments()?;
        self.word("over")?;
        let extent = self.operand()?;
        let schedule = match self.peek().as_word() {
            Some("sequential") => Some(Schedule::Sequential),
            Some("static") => Some(Schedule::Static),
            Some("dynamic") => Some(Schedule::Dynamic),
            Some("ordered") => Some(Schedule::Ordered),
            Some(_) | None => None,
        };
        let schedule = self.take(schedule, "`sequential`, `static`, `dynamic` or `ordered`")?;
        self.word("align")?;
        let align = self.number()?;
        self.word("cost")?;
        let cost = self.operand()?;
        Ok(Launch { kernel, args, mem_args, extent, schedule, align, cost, arrays: Vec::new() })
    }

    /// Parses scalars and memories in parentheses.
    fn arguments(&mut self) -> Parsed<(Vec<Operand>, Vec<Mem>)> {
        let (mut args, mut mem_args) = (Vec::new(), Vec::new());
        self.list("(", ")", |p| {
            if p.at_memory() {
                mem_args.push(p.memory()?)
            } else {
                args.push(p.operand()?)
            }
            Ok(())
        })?;
        Ok((args, mem_args))
    }

    /// Parses `xs@0[i.1]`.
    fn place(&mut self) -> Parsed<(Mem, Operand)> {
        let mem = self.memory()?;
        self.mark("[")?;
        let index = self.operand()?;
        self.mark("]")?;
        Ok((mem, index))
    }

    /// Parses `xs@0[i.1] = x.2`.
    fn set_place(&mut self) -> Parsed<(Mem, Operand, Operand)> {
        let (mem, index) = self.place()?;
        self.mark("=")?;
        Ok((mem, index, self.operand()?))
    }

    /// Parses `xs@0 -> 4 + (1, n.0)`.
    fn view(&mut self) -> Parsed<StridedView> {
        let mem = self.memory()?;
        self.mark("->")?;
        let offset = self.operand()?;
        self.mark("+")?;
        Ok(StridedView { mem, offset, strides: self.list("(", ")", Self::operand)? })
    }

    fn mask(&mut self) -> Parsed<Option<Operand>> {
        if self.eat_word("where") { self.operand().map(Some) } else { Ok(None) }
    }

    fn order(&mut self) -> Order {
        if self.eat_word("relaxed") { Order::Relaxed } else { Order::Released }
    }

    fn label(&mut self) -> Parsed<Label> {
        self.number().map(Label)
    }

    fn check_id(&mut self) -> Parsed<CheckId> {
        self.count().map(CheckId::new)
    }

    fn atomic_op(&mut self) -> Parsed<AtomicOp> {
        let op = self.peek().as_word().and_then(|word| match word {
            "exchange" => Some(AtomicOp::Exchange),
            _ => BinaryOp::from_mnemonic(word).map(AtomicOp::Binary),
        });
        self.take(op, "an operator or `exchange`")
    }

    /// Parses lane numbers: `[0 to 3, 8]`.
    fn runs(&mut self) -> Parsed<Vec<u16>> {
        let mut lanes = Vec::new();
        self.list("[", "]", |p| {
            let first = p.number()?;
            let last: u16 = if p.eat_word("to") { p.number()? } else { first };
            lanes.extend(first..=last);
            Ok(())
        })?;
        Ok(lanes)
    }
}
