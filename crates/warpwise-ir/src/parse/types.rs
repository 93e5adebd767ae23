//! Bindings, types, placements, operands, constants.

use warpwise_diag::Span;

use super::lex::TokenKind;
use super::{Cursor, Parsed, Parser};
use crate::memory::{Lmad, LmadDim, Placement};
use crate::print::is_reserved;
use crate::program::{EntryType, OpaqueForm, Var, Variant};
use crate::types::{AccType, ArrayType, Operand, Shape, Type};

impl<'t> Parser<'t> {
    /// Parses `name: *type @ placement`. Returns the variable, in scope from here on, and whether there was a star.
    pub(super) fn binding(&mut self) -> Parsed<(Var, bool)> {
        let name = self.new_name()?;
        self.mark(":")?;
        let star = self.eat("*");
        let ty = self.ty()?;
        let mut later = Vec::new();
        let placement = if self.eat("@") { Some(self.placement(&mut later)?) } else { None };
        let var = self.bind(name, ty);
        self.later_strides.extend(later.into_iter().map(|(dim, name, span)| (var, dim, name, span)));
        self.vars[var].placement = placement;
        Ok((var, star))
    }

    /// Parses a name that is allowed for a variable.
    pub(super) fn new_name(&mut self) -> Parsed<&'t str> {
        let TokenKind::Word(name) = *self.peek() else { return Err(self.expected("a variable")) };
        if is_reserved(name) {
            return Err(self.error(format!("`{name}` is a reserved word, no variable can have this name")));
        }
        if name.contains('.') {
            return Err(self.error("the name of a variable has no dots"));
        }
        self.advance();
        Ok(name)
    }

    /// Parses a placement. Strides of parameters may be bound in the body: they are added to `later`.
    fn placement(&mut self, later: &mut Vec<(usize, &'t str, Span)>) -> Parsed<Placement> {
        let block = self.var()?;
        self.mark("->")?;
        let offset = self.operand()?;
        self.mark("+")?;
        self.mark("{")?;
        let mut dims = Vec::new();
        while self.eat("(") {
            let extent = self.operand()?;
            self.mark(":")?;
            let stride = if let TokenKind::Word(name) = *self.peek()
                && self.in_params
                && !self.scope.vars.contains_key(name)
            {
                later.push((dims.len(), name, self.span()));
                self.advance();
                Operand::i64(0)
            } else {
                self.operand()?
            };
            self.mark(")")?;
            dims.push(LmadDim { extent, stride });
        }
        self.mark("}")?;
        Ok(Placement { block, index_fn: Lmad { offset, dims } })
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        if self.peek() == &TokenKind::Mark("[") {
            let shape = self.shape()?;
            let elem = self.scalar_type()?;
            return if shape.is_empty() {
                Err(self.error("an array type needs at least one size"))
            } else {
                Ok(Type::Array(ArrayType { elem, shape }))
            };
        }
        if self.eat_word("cert") {
            return Ok(Type::Cert);
        }
        if self.eat_word("mem") {
            return Ok(Type::Mem);
        }
        if self.eat_word("acc") {
            return self.nested(|p| p.acc_type());
        }
        Ok(Type::Scalar(self.scalar_type()?))
    }

    fn acc_type(&mut self) -> Parsed<Type> {
        self.mark("(")?;
        let token = self.var()?;
        self.mark(",")?;
        let shape = self.shape()?;
        let mut elems = Vec::new();
        while self.eat(",") {
            elems.push(self.ty()?);
        }
        self.mark(")")?;
        Ok(Type::Acc(AccType { token, shape, elems }))
    }

    pub(super) fn entry_type(&mut self) -> Parsed<EntryType> {
        if self.eat_word("opaque") {
            let name = self.text()?;
            let fields = self.nested(|p| {
                p.list("{", "}", |p| {
                    let path = p.text()?;
                    p.mark(":")?;
                    Ok((path, p.entry_type()?))
                })
            })?;
            let form = self.opaque_form()?;
            return Ok(EntryType::Opaque { name, fields, form });
        }
        let mut rank = 0;
        while self.eat("[") {
            self.mark("]")?;
            rank += 1;
        }
        let ty = self.value_type()?;
        Ok(if rank == 0 { EntryType::Scalar(ty) } else { EntryType::Array(ty, rank) })
    }

    /// Parses `sum {"name" (type at 1 2, ...), ...}` or `array 1 type`; nothing for a record.
    fn opaque_form(&mut self) -> Parsed<OpaqueForm> {
        if self.eat_word("array") {
            let rank = self.count()?;
            let element = self.nested(|p| p.entry_type())?;
            return Ok(OpaqueForm::Array(rank, Box::new(element)));
        }
        if !self.eat_word("sum") {
            return Ok(OpaqueForm::Record);
        }
        let variants = self.nested(|p| {
            p.list("{", "}", |p| {
                let name = p.text()?;
                Ok(Variant { name, payload: p.list("(", ")", |p| p.payload())? })
            })
        })?;
        Ok(OpaqueForm::Sum(variants))
    }

    /// Parses `type at 1 2`: a payload type of a constructor, and the indices of its values.
    fn payload(&mut self) -> Parsed<(EntryType, Vec<usize>)> {
        let ty = self.entry_type()?;
        let mut places = Vec::new();
        if self.eat_word("at") {
            while matches!(self.peek(), TokenKind::Number(_)) {
                places.push(self.count()?);
            }
        }
        Ok((ty, places))
    }

    /// Parses `[n][m]`, or `[]` for no dimensions.
    pub(super) fn shape(&mut self) -> Parsed<Shape> {
        let mut shape = Shape::new();
        self.mark("[")?;
        if self.eat("]") {
            return Ok(shape);
        }
        loop {
            shape.push(self.operand()?);
            self.mark("]")?;
            if !self.eat("[") {
                return Ok(shape);
            }
        }
    }

    /// Parses a variable in scope.
    pub(super) fn var(&mut self) -> Parsed<Var> {
        let TokenKind::Word(name) = self.peek() else { return Err(self.expected("a variable")) };
        match self.scope.vars.get(name) {
            Some(var) => {
                let var = *var;
                self.advance();
                Ok(var)
            }
            None => Err(self.error(format!("`{name}` is not in scope"))),
        }
    }

    /// Parses a constant or a variable in scope.
    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        match self.constant()? {
            Some(value) => Ok(Operand::Const(value)),
            None if self.peek().as_word().is_some() => self.var().map(Operand::Var),
            None => Err(self.expected("an operand")),
        }
    }
}
