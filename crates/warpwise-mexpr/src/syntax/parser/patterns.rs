//! Patterns.

use crate::syntax::ast::{Ident, Pat, PatKind, SeqPat};
use crate::syntax::lexer::TokenKind;
use crate::syntax::literals::{character, integer};

use super::{Parse, Parser};

const COMMA: &str = "a comma or the end of the list";

impl Parser<'_> {
    /// Parses `p & q | r`.
    pub(super) fn pattern(&mut self) -> Parse<Pat> {
        self.nested(|parser| {
            let start = parser.start();
            let first = parser.conjunction()?;
            if !parser.eat(TokenKind::Bar) {
                return Ok(first);
            }
            let second = parser.pattern()?;
            Ok(parser.pat(start, PatKind::Or(Box::new(first), Box::new(second))))
        })
    }

    fn conjunction(&mut self) -> Parse<Pat> {
        self.nested(|parser| {
            let start = parser.start();
            let first = parser.pattern_atom()?;
            if !parser.eat(TokenKind::And) {
                return Ok(first);
            }
            let second = parser.conjunction()?;
            Ok(parser.pat(start, PatKind::And(Box::new(first), Box::new(second))))
        })
    }

    fn pat(&self, start: u32, kind: PatKind) -> Pat {
        Pat { span: self.span_from(start), kind }
    }

    fn pattern_atom(&mut self) -> Parse<Pat> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Lower | TokenKind::QuotedVar | TokenKind::Underscore => {
                let name = self.pattern_name()?;
                if !self.eat(TokenKind::PlusPlus) {
                    return Ok(name);
                }
                PatKind::Edge(SeqPat::List(Vec::new()), Box::new(name), self.sequence_pattern()?)
            }
            TokenKind::LBracket | TokenKind::String => {
                let first = self.sequence_pattern()?;
                if self.eat(TokenKind::PlusPlus) {
                    let name = self.pattern_name()?;
                    let last = if self.eat(TokenKind::PlusPlus) {
                        self.sequence_pattern()?
                    } else {
                        SeqPat::List(Vec::new())
                    };
                    PatKind::Edge(first, Box::new(name), last)
                } else {
                    PatKind::Seq(first)
                }
            }
            TokenKind::Not => {
                self.bump();
                PatKind::Not(Box::new(self.nested(Self::pattern_atom)?))
            }
            TokenKind::Upper | TokenKind::QuotedCon => {
                let constructor = self.constructor("a constructor")?;
                PatKind::Construct(constructor, Box::new(self.nested(Self::pattern_atom)?))
            }
            TokenKind::LParen => {
                self.bump();
                let (mut items, trailing) = self.comma_list(TokenKind::RParen, COMMA, Self::pattern)?;
                if items.len() == 1 && !trailing {
                    return Ok(items.remove(0));
                }
                PatKind::Tuple(items)
            }
            TokenKind::LBrace => {
                self.bump();
                match self.comma_list(TokenKind::RBrace, COMMA, Self::pattern_field)?.0 {
                    fields if fields.is_empty() => PatKind::Tuple(Vec::new()),
                    fields => PatKind::Record(fields),
                }
            }
            _ => self.pattern_literal()?,
        };
        Ok(self.pat(start, kind))
    }

    fn pattern_name(&mut self) -> Parse<Pat> {
        let start = self.start();
        let kind = if self.eat(TokenKind::Underscore) {
            PatKind::Wildcard
        } else {
            PatKind::Name(self.variable("a name or `_`")?.name)
        };
        Ok(self.pat(start, kind))
    }

    fn pattern_field(&mut self) -> Parse<(Ident, Pat)> {
        let label = self.label("the label of a field")?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok((label, self.pattern()?))
    }

    fn sequence_pattern(&mut self) -> Parse<SeqPat> {
        if self.at(TokenKind::String) {
            return Ok(SeqPat::String(self.string("a string")?.0));
        }
        self.expect(TokenKind::LBracket, "a sequence pattern")?;
        Ok(SeqPat::List(self.comma_list(TokenKind::RBracket, COMMA, Self::pattern)?.0))
    }

    fn pattern_literal(&mut self) -> Parse<PatKind> {
        let token = self.token();
        let text = self.slice(token);
        let kind = match token.kind {
            TokenKind::Int => PatKind::Int(integer(text).map_err(|bad| self.bad_literal(token, bad))?),
            TokenKind::Char => PatKind::Char(character(text).map_err(|bad| self.bad_literal(token, bad))?),
            TokenKind::True => PatKind::Bool(true),
            TokenKind::False => PatKind::Bool(false),
            _ => return Err(self.unexpected("a pattern")),
        };
        self.bump();
        Ok(kind)
    }
}
