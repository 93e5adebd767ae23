//! Names of registers and memories in the text form: `x.7`, `xs@0`.

use warpwise_diag::Span;
use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_ir::parse::{Cursor, Parsed, TokenKind, syntax_error};
use warpwise_prim::ScalarType;

use super::Parser;
use crate::op::{Block, Op};
use crate::types::{ImpType, Mem, MemData, Operand, Reg, RegData, Space};

/// Bound on the numbers of registers and memories, exclusive: a table has an entry for each number up to the highest.
const NUMBERS: usize = 1 << 20;

/// The registers and memories of a function, by number.
#[derive(Default)]
pub(super) struct Names {
    regs: Vec<Option<Named<ImpType>>>,
    mems: Vec<Option<Named<Space>>>,
}

/// A register or a memory that the text mentions.
struct Named<T> {
    name: String,
    /// Its type or space, if the text has given it.
    what: Option<T>,
    /// Source position of its first mention.
    span: Span,
}

impl Names {
    pub(super) fn set_type(&mut self, reg: Reg, ty: ImpType) {
        self.regs[reg.index()].iter_mut().for_each(|named| named.what = Some(ty));
    }

    pub(super) fn set_space(&mut self, mem: Mem, space: Space) {
        self.mems[mem.index()].iter_mut().for_each(|named| named.what = Some(space));
    }
}

/// The registers and the memories of a function or kernel.
type Tables = (PrimaryMap<Reg, RegData>, PrimaryMap<Mem, MemData>);

/// Records that the text mentions `number` with this name.
fn mention<T>(table: &mut Vec<Option<Named<T>>>, number: usize, name: &str, span: Span) -> Parsed<()> {
    if number >= NUMBERS {
        return Err(syntax_error(span, format!("numbers are below {NUMBERS}")));
    }
    if table.len() <= number {
        table.resize_with(number + 1, || None);
    }
    let known = table[number].get_or_insert_with(|| Named { name: name.to_string(), what: None, span });
    if known.name == name {
        return Ok(());
    }
    Err(syntax_error(span, format!("number {number} is called `{}` elsewhere", known.name)))
}

impl Parser<'_> {
    /// Returns the name and number of the next token if it is a register.
    pub(super) fn register(&self) -> Option<(String, usize)> {
        let (name, number) = self.peek().as_word()?.rsplit_once('.')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| (name.to_string(), number.parse().unwrap_or(usize::MAX)))
    }

    pub(super) fn at_memory(&self) -> bool {
        self.peek().as_word().is_some() && self.peek_second() == &TokenKind::Mark("@")
    }

    pub(super) fn expect_register(&mut self) -> Parsed<Reg> {
        let Some((name, number)) = self.register() else { return Err(self.expected("a register")) };
        self.advance();
        let span = self.previous_span();
        mention(&mut self.names.regs, number, &name, span)?;
        Ok(Reg::new(number))
    }

    /// Parses a register that is assigned, with its type if the text gives it here.
    pub(super) fn assigned(&mut self) -> Parsed<Reg> {
        let reg = self.expect_register()?;
        if self.eat(":") {
            let span = self.span();
            let ty = self.imp_type()?;
            let known = self.names.regs[reg.index()].as_ref().and_then(|named| named.what);
            if known.is_some_and(|known| known != ty) {
                return Err(syntax_error(span, "this register has another type elsewhere"));
            }
            self.names.set_type(reg, ty);
        }
        Ok(reg)
    }

    pub(super) fn memory(&mut self) -> Parsed<Mem> {
        if !self.at_memory() {
            return Err(self.expected("a memory"));
        }
        let (name, span) = (self.name()?, self.previous_span());
        self.mark("@")?;
        let number = self.count()?;
        mention(&mut self.names.mems, number, &name, span)?;
        Ok(Mem::new(number))
    }

    /// Parses a memory that is set, with its space if the text gives it here.
    pub(super) fn pointer(&mut self) -> Parsed<Mem> {
        let mem = self.memory()?;
        if self.eat(":") {
            let space = match self.peek().as_word() {
                Some("global") => Some(Space::Global),
                Some("arena") => Some(Space::Arena),
                Some("local") => Some(Space::Local),
                Some(_) | None => None,
            };
            let space = self.take(space, "`global`, `arena` or `local`")?;
            self.names.set_space(mem, space);
        }
        Ok(mem)
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        if self.register().is_some() {
            return self.expect_register().map(Operand::Reg);
        }
        self.constant()?.map(Operand::Const).ok_or_else(|| self.expected("an operand"))
    }

    /// Parses `f32` or `<16 x f32>`.
    pub(super) fn imp_type(&mut self) -> Parsed<ImpType> {
        if !self.eat("<") {
            return self.scalar_type().map(ImpType::scalar);
        }
        let lanes = self.number()?;
        self.word("x")?;
        let ty = ImpType::vector(self.scalar_type()?, lanes);
        self.mark(">")?;
        Ok(ty)
    }

    /// Parses a plain number of a type that may be narrow.
    pub(super) fn number<T: TryFrom<usize>>(&mut self) -> Parsed<T> {
        let number = self.count()?;
        T::try_from(number).map_err(|_| syntax_error(self.previous_span(), "this number is too large"))
    }

    /// Returns the tables of a parsed function, and completes the types in its operations that follow from those of registers.
    pub(super) fn finish(&mut self, body: &mut Block) -> Parsed<Tables> {
        let Names { regs, mems } = std::mem::take(&mut self.names);
        let (mut types, mut blocks) = (PrimaryMap::new(), PrimaryMap::new());
        for named in regs {
            // A missing number is mentioned nowhere.
            let unused = || (String::new(), Some(ImpType::scalar(ScalarType::I64)), Span::NONE);
            let (name, ty, span) = named.map_or_else(unused, |named| (named.name, named.what, named.span));
            let untold =
                || syntax_error(span, "the first assignment of this register does not tell its type");
            types.push(RegData { ty: ty.ok_or_else(untold)?, name });
        }
        for named in mems {
            let (name, space) = named.map_or((String::new(), None), |named| (named.name, named.what));
            blocks.push(MemData::new(space.unwrap_or(Space::Global), &name));
        }
        complete(body, &types);
        Ok((types, blocks))
    }
}

/// Sets the types in operations that follow from those of their operands.
fn complete(block: &mut Block, regs: &PrimaryMap<Reg, RegData>) {
    let scalar = |x: Operand| match x {
        Operand::Reg(reg) => regs[reg].ty.scalar,
        Operand::Const(value) => value.ty(),
    };
    for op in block {
        if let Op::Convert { from: ty, x, .. }
        | Op::Store { elem: ty, value: x, .. }
        | Op::CompressStore { elem: ty, value: x, .. }
        | Op::Atomic { elem: ty, value: x, .. }
        | Op::Fill { elem: ty, value: x, .. } = op
        {
            *ty = scalar(*x);
        }
        op.blocks_mut().into_iter().flatten().for_each(|block| complete(block, regs));
    }
}
