//! Operators by precedence climbing: ranges, `with`, infix operators and sections.

use warpwise_diag::Diagnostic;

use super::{Parse, Parser};
use crate::syntax::ast::{Expr, ExprKind, PathStep, QualName, RangeBound};
use crate::syntax::lexer::TokenKind;

/// Precedence level of an infix form, from loosest to tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Range,
    Backtick,
    With,
    PipeRight,
    PipeLeft,
    Or,
    And,
    Compare,
    Bits,
    Shift,
    Add,
    Multiply,
    Power,
    /// Binds tighter than every infix form.
    Prefix,
}

/// Built-in operators, each of which fixes the level of all operators that start with it. The longest match decides.
const BUILT_IN: [(&str, Level); 25] = [
    ("**", Level::Power),
    ("//", Level::Multiply),
    ("%%", Level::Multiply),
    ("<<", Level::Shift),
    (">>", Level::Shift),
    ("==", Level::Compare),
    ("!=", Level::Compare),
    ("<=", Level::Compare),
    (">=", Level::Compare),
    ("&&", Level::And),
    ("||", Level::Or),
    ("|>", Level::PipeRight),
    ("<|", Level::PipeLeft),
    ("*", Level::Multiply),
    ("/", Level::Multiply),
    ("%", Level::Multiply),
    ("+", Level::Add),
    ("-", Level::Add),
    ("<", Level::Compare),
    (">", Level::Compare),
    ("!", Level::Compare),
    ("=", Level::Compare),
    ("&", Level::Bits),
    ("^", Level::Bits),
    ("|", Level::Bits),
];

impl Level {
    /// Returns the level of an operator without qualifiers.
    pub(super) fn of_operator(operator: &str) -> Level {
        let found = BUILT_IN.iter().find(|(prefix, _)| operator.starts_with(prefix));
        found.map_or(Level::Backtick, |&(_, level)| level)
    }

    /// Returns the minimum level of the right operand.
    fn of_right_operand(self) -> Level {
        match self {
            Level::Range => Level::Backtick,
            Level::Backtick => Level::With,
            Level::With => Level::PipeRight,
            Level::PipeRight => Level::PipeLeft,
            Level::PipeLeft => Level::PipeLeft, // Right-associative.
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::Bits,
            Level::Bits => Level::Shift,
            Level::Shift => Level::Add,
            Level::Add => Level::Multiply,
            Level::Multiply => Level::Power,
            Level::Power | Level::Prefix => Level::Prefix,
        }
    }
}

impl Parser<'_> {
    /// Parses an expression without `:` and `:>` at its top.
    pub(super) fn unascribed(&mut self) -> Parse<Expr> {
        self.nested(|parser| parser.operation(Level::Range, false))
    }

    /// Parses like [`Parser::unascribed`], after `(`: the result may also be a left section `e +`, before a `)`.
    pub(super) fn unascribed_or_section(&mut self) -> Parse<Expr> {
        self.nested(|parser| parser.operation(Level::Range, true))
    }

    /// Parses operands joined by infix forms of at least `level`.
    fn operation(&mut self, level: Level, section: bool) -> Parse<Expr> {
        let start = self.start();
        let mut left = self.prefix()?;
        while let Some(found) = self.infix_level().filter(|&found| found >= level) {
            self.grow(1)?;
            left = match found {
                Level::Range => self.range(start, left)?,
                Level::With => self.update(start, left)?,
                _ => {
                    let operator = self.operator()?;
                    if section && self.at(TokenKind::RParen) {
                        let kind = ExprKind::LeftSection { left: Box::new(left), operator };
                        return Ok(self.expr(start, kind));
                    }
                    self.binary(start, left, operator, found)?
                }
            };
        }
        Ok(left)
    }

    /// Returns the level of the infix form that starts here, if there is one.
    fn infix_level(&self) -> Option<Level> {
        use TokenKind::*;
        match self.kind() {
            TwoDots | ThreeDots | DotsLess | DotsGreater => Some(Level::Range),
            TokenKind::With => Some(Level::With),
            TokenKind::Backtick => Some(Level::Backtick),
            Operator | Star | Minus | Less | Caret | Pipe => {
                Some(Level::of_operator(self.slice(self.token())))
            }
            QualOperator => {
                let text = self.slice(self.token());
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
                let operator = text.trim_start_matches(|c| is_name(c) || c == '.');
                Some(Level::of_operator(operator))
            }
            _ => None,
        }
    }

    fn binary(&mut self, start: u32, left: Expr, operator: QualName, level: Level) -> Parse<Expr> {
        let operand = level.of_right_operand();
        let right = match level {
            Level::PipeLeft => self.nested(|parser| parser.operation(operand, false))?,
            _ => self.operation(operand, false)?,
        };
        let kind = ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        Ok(self.expr(start, kind))
    }

    /// Parses the rest of `a..b..<c` after `a`.
    fn range(&mut self, start: u32, first: Expr) -> Parse<Expr> {
        let dots = self.token();
        let mut second = None;
        if self.eat(TokenKind::TwoDots) {
            second = Some(Box::new(self.operation(Level::Range.of_right_operand(), false)?));
        }
        let bound = match self.kind() {
            TokenKind::ThreeDots => RangeBound::Inclusive,
            TokenKind::DotsLess => RangeBound::Below,
            TokenKind::DotsGreater => RangeBound::Above,
            _ => {
                let message = "this range has no end";
                let diagnostic = Diagnostic::error("E0112", self.token_span(dots), message);
                let hint = "write `a...b`, `a..<b` or `a..>b`, and `a..next...b` for another stride";
                return Err(self.report(diagnostic.hint(hint)));
            }
        };
        self.bump();
        let end = Box::new(self.operation(Level::Range.of_right_operand(), false)?);
        if self.infix_level() == Some(Level::Range) {
            let span = self.token_span(self.token());
            let diagnostic = Diagnostic::error("E0112", span, "a range cannot be the operand of a range");
            return Err(self.report(diagnostic.hint("a stride is given by the second element: `0..2..<10`")));
        }
        Ok(self.expr(start, ExprKind::Range { start: Box::new(first), second, bound, end }))
    }

    /// Parses the rest of `e with path = v` after `e`.
    fn update(&mut self, start: u32, target: Expr) -> Parse<Expr> {
        self.expect(TokenKind::With, "`with`")?;
        let mut path = Vec::new();
        while !self.at(TokenKind::Equals) || path.is_empty() {
            path.push(self.update_step()?);
        }
        self.bump();
        let value = Box::new(self.operation(Level::With.of_right_operand(), false)?);
        Ok(self.expr(start, ExprKind::Update { target: Box::new(target), path, value }))
    }

    fn update_step(&mut self) -> Parse<PathStep> {
        if self.at_bracket() {
            return self.index_step();
        }
        self.eat(TokenKind::Dot);
        if self.at_any(&[TokenKind::Ident, TokenKind::Decimal]) {
            return Ok(PathStep::Field(self.field()?));
        }
        Err(self.unexpected("a field, an index or `=`"))
    }
}
