//! The parser of the text form that [`crate::print`] writes.
//!
//! Only grammar, names and constants are checked here; types and everything else are left to the verifier. Parts that the text
//! does not contain are left empty: source positions, entry points, and the arrays that launches check against their blocks.

mod names;
mod ops;

use rustc_hash::FxHashMap;
use warpwise_diag::{Failure, FileId, Span};
use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_ir::parse::{Cursor, Parsed, Token, TokenKind, Tokens, syntax_error};
use warpwise_prim::ScalarType;
use warpwise_runtime::machine::CheckPart;

use crate::op::Block;
use crate::program::{
    Check, CheckId, Group, HostFunction, HostParam, HostResult, ImpProgram, Kernel, KernelId, KernelParam,
    LocalArray,
};
use crate::types::{ImpType, Operand, Reg, Space};

use names::Names;

/// Maximum nesting depth of blocks.
const NESTING: usize = 1000;

/// Parses a program. `file` is the file that errors refer to.
pub fn parse(text: &str, file: FileId) -> Result<ImpProgram, Failure> {
    program(text, file).map_err(|diagnostic| Failure::from(*diagnostic))
}

fn program(text: &str, file: FileId) -> Parsed<ImpProgram> {
    let tokens = Tokens::of(text, file)?;
    let functions = positions(tokens.all(), "host")?;
    let kernels = positions(tokens.all(), "kernel")?;
    let mut parser = Parser { tokens, functions, kernels, names: Names::default(), depth: 0 };
    let mut program = ImpProgram::default();
    while parser.peek() != &TokenKind::End {
        if parser.eat_word("check") {
            parser.check(&mut program.checks)?;
        } else if parser.eat_word("host") {
            program.functions.push(parser.function()?);
        } else if parser.eat_word("kernel") {
            program.kernels.push(parser.kernel()?);
        } else {
            return Err(parser.expected("`check`, `host` or `kernel`"));
        }
    }
    Ok(program)
}

/// Returns the names that follow `word` outside all braces, with their positions in order of occurrence.
fn positions(tokens: &[Token<'_>], word: &str) -> Parsed<FxHashMap<String, usize>> {
    let (mut names, mut depth) = (FxHashMap::default(), 0usize);
    for pair in tokens.windows(2) {
        match (&pair[0].kind, pair[1].kind.as_name()) {
            (TokenKind::Mark("{"), _) => depth += 1,
            (TokenKind::Mark("}"), _) => depth = depth.saturating_sub(1),
            (TokenKind::Word(found), Some(name)) if *found == word && depth == 0 => {
                let position = names.len();
                if names.insert(name.to_string(), position).is_some() {
                    return Err(syntax_error(pair[1].span, format!("there are two {word}s {name:?}")));
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    /// Host functions by name.
    functions: FxHashMap<String, usize>,
    /// Kernels by name.
    kernels: FxHashMap<String, usize>,
    /// Registers and memories of the function being read.
    names: Names,
    depth: usize,
}

impl<'t> Cursor<'t> for Parser<'t> {
    fn tokens(&self) -> &Tokens<'t> {
        &self.tokens
    }

    fn tokens_mut(&mut self) -> &mut Tokens<'t> {
        &mut self.tokens
    }
}

/// A parameter or result of a host function: a scalar or an array.
enum Passed {
    Scalar(Operand),
    Array { mem: crate::Mem, elem: ScalarType, shape: Vec<Operand> },
}

impl Parser<'_> {
    fn check(&mut self, checks: &mut PrimaryMap<CheckId, Check>) -> Parsed<()> {
        let expected = checks.keys().count();
        if self.count()? != expected {
            self.retreat();
            return Err(self.error(format!("checks are numbered in order: this is check {expected}")));
        }
        let mut parts = Vec::new();
        if self.peek() != &TokenKind::Mark(";") {
            parts = self.separated(|p| match p.peek() {
                TokenKind::Text(_) => p.text().map(CheckPart::Text),
                TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Mark(_) | TokenKind::End => {
                    p.value_type().map(CheckPart::Value)
                }
            })?;
        }
        self.mark(";")?;
        checks.push(Check { parts, span: Span::NONE, calls: Vec::new() });
        Ok(())
    }

    fn function(&mut self) -> Parsed<HostFunction> {
        let name = self.name()?;
        let params = self.list("(", ")", |p| {
            if p.register().is_some() {
                return p.assigned().map(HostParam::Scalar);
            }
            let Passed::Array { mem, elem, shape } = p.passed()? else { return Err(p.expected("an array")) };
            p.names.set_space(mem, Space::Global);
            Ok(HostParam::Array { mem, elem, shape })
        })?;
        self.mark("{")?;
        self.unset()?;
        let mut body = Block::new();
        while !self.eat_word("return") {
            body.push(self.op()?);
        }
        let results =
            if self.peek() == &TokenKind::Mark(";") { Vec::new() } else { self.separated(Self::passed)? };
        self.mark(";")?;
        self.mark("}")?;
        let (regs, mems) = self.finish(&mut body)?;
        let result = |passed| match passed {
            Passed::Scalar(x) => HostResult::Scalar(x),
            Passed::Array { mem, elem, shape } => HostResult::Array { mem, elem, shape },
        };
        let results = results.into_iter().map(result).collect();
        Ok(HostFunction { name, entry: None, regs, mems, params, body, results })
    }

    /// Parses `x.1`, `4` or `xs@0: [n.0]f32`.
    fn passed(&mut self) -> Parsed<Passed> {
        if !self.at_memory() {
            return self.operand().map(Passed::Scalar);
        }
        let mem = self.memory()?;
        self.mark(":")?;
        let shape = self.shape()?;
        Ok(Passed::Array { mem, elem: self.scalar_type()?, shape })
    }

    fn kernel(&mut self) -> Parsed<Kernel> {
        let name = self.name()?;
        let params = self.list("(", ")", Self::kernel_param)?;
        let lo = self.index_register()?;
        self.word("to")?;
        let hi = self.index_register()?;
        let group = if self.eat_word("group") { Some(self.group()?) } else { None };
        self.mark("{")?;
        self.unset()?;
        let mut body = self.block_rest()?;
        let (regs, mems) = self.finish(&mut body)?;
        let (span, places, doubles) = (Span::NONE, Vec::new(), None);
        Ok(Kernel { name, params, regs, mems, lo, hi, group, body, span, places, doubles })
    }

    fn kernel_param(&mut self) -> Parsed<KernelParam> {
        if self.register().is_some() {
            return self.assigned().map(KernelParam::Scalar);
        }
        let mem = self.memory()?;
        self.names.set_space(mem, Space::Global);
        self.mark(":")?;
        self.word("mem")?;
        let (noalias, read_only) = (self.eat_word("noalias"), self.eat_word("read"));
        Ok(KernelParam::Memory { mem, noalias, read_only })
    }

    fn group(&mut self) -> Parsed<Group> {
        let item = self.index_register()?;
        self.word("of")?;
        let size = self.number()?;
        let mut local = Vec::new();
        while self.eat_word("local") {
            let mem = self.memory()?;
            self.names.set_space(mem, Space::Local);
            self.mark(":")?;
            self.mark("[")?;
            let count = self.operand()?;
            self.mark("]")?;
            local.push(LocalArray { mem, elem: self.scalar_type()?, count });
        }
        Ok(Group { size, item, local })
    }

    /// Parses a register that holds an index.
    fn index_register(&mut self) -> Parsed<Reg> {
        let reg = self.expect_register()?;
        self.names.set_type(reg, ImpType::scalar(ScalarType::I64));
        Ok(reg)
    }

    /// Parses the declarations of registers that nothing assigns.
    fn unset(&mut self) -> Parsed<()> {
        while self.eat_word("unset") {
            self.assigned()?;
            self.mark(";")?;
        }
        Ok(())
    }

    /// Parses the operations of a block up to its closing brace.
    fn block_rest(&mut self) -> Parsed<Block> {
        if self.depth == NESTING {
            return Err(self.error(format!("more than {NESTING} levels of nesting")));
        }
        self.depth += 1;
        let mut block = Block::new();
        while !self.eat("}") {
            block.push(self.op()?);
        }
        self.depth -= 1;
        Ok(block)
    }

    fn shape(&mut self) -> Parsed<Vec<Operand>> {
        let mut shape = Vec::new();
        while self.eat("[") {
            shape.push(self.operand()?);
            self.mark("]")?;
        }
        Ok(shape)
    }

    /// Parses a kernel's name.
    fn kernel_name(&mut self) -> Parsed<KernelId> {
        let position = self.peek().as_name().and_then(|name| self.kernels.get(name).copied());
        self.take(position, "a kernel's name").map(KernelId::new)
    }
}
