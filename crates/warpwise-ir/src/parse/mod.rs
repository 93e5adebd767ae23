//! The parser of the text form that [`crate::print`] writes.
//!
//! In addition, handwritten texts may use one name several times in disjoint or nested scopes; printing makes the names distinct.
//! Spans of statements are positions in this text. The first error is reported with its position. Only grammar, names and
//! constants are checked here; types and all other rules are the verifier's business.

mod cursor;
mod expr;
mod lex;
mod soac;
mod types;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Failure, FileId, Span};

use crate::deep::{LEVELS, deep};
use crate::entity::{Entity, PrimaryMap};
use crate::expr::{Body, Lambda, Stm};
use crate::program::{
    EntryParam, EntryPoint, EntryResult, Function, FunctionId, Param, Program, ResultDecl, Var, VarData,
};
use crate::types::Type;

pub use cursor::{Cursor, Tokens, syntax_error};
pub use lex::{Token, TokenKind};

/// The code of all errors of this module.
const CODE: &str = "ir-syntax";

/// A value, or the first error.
pub type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Parses a program. `file` is the file of the spans and errors.
pub fn parse(text: &str, file: FileId) -> Result<Program, Failure> {
    deep(|| program(text, file)).map_err(|diagnostic| Failure::from(*diagnostic))
}

fn program(text: &str, file: FileId) -> Parsed<Program> {
    let tokens = Tokens::of(text, file)?;
    let functions = function_names(tokens.all())?;
    let mut parser = Parser {
        tokens,
        functions,
        vars: PrimaryMap::new(),
        scope: Scope::default(),
        depth: 0,
        in_params: false,
        later_strides: Vec::new(),
    };
    let mut program = Program::default();
    while parser.peek() != &TokenKind::End {
        let function = parser.function()?;
        program.functions.push(function);
    }
    Ok(program)
}

/// Returns the ids of the functions, in order: a name follows `fun` or `entry` outside all braces.
fn function_names(tokens: &[Token<'_>]) -> Parsed<FxHashMap<String, FunctionId>> {
    let mut names = FxHashMap::default();
    let mut depth = 0usize;
    for pair in tokens.windows(2) {
        match (&pair[0].kind, &pair[1].kind) {
            (TokenKind::Mark("{"), _) => depth += 1,
            (TokenKind::Mark("}"), _) => depth = depth.saturating_sub(1),
            (TokenKind::Word("fun" | "entry"), name) if depth == 0 => {
                let Some(name) = name.as_name() else { continue };
                let id = FunctionId::new(names.len());
                if names.insert(name.to_string(), id).is_some() {
                    let message = format!("there are two functions `{name}`");
                    return Err(syntax_error(pair[1].span, message));
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

/// Names in scope, with a log for leaving scopes.
#[derive(Default)]
struct Scope<'t> {
    vars: FxHashMap<&'t str, Var>,
    log: Vec<(&'t str, Var, Option<Var>)>,
}

impl<'t> Scope<'t> {
    fn enter(&mut self, name: &'t str, var: Var) {
        let shadowed = self.vars.insert(name, var);
        self.log.push((name, var, shadowed));
    }

    /// Removes the names entered since the log had this length; returns them in order.
    fn leave(&mut self, mark: usize) -> Vec<(&'t str, Var)> {
        let left = self.log.split_off(mark);
        for (name, _, shadowed) in left.iter().rev() {
            match shadowed {
                Some(var) => self.vars.insert(name, *var),
                None => self.vars.remove(name),
            };
        }
        left.into_iter().map(|(name, var, _)| (name, var)).collect()
    }
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    functions: FxHashMap<String, FunctionId>,
    vars: PrimaryMap<Var, VarData>,
    scope: Scope<'t>,
    depth: usize,
    /// Whether the parameters of a function are being parsed.
    in_params: bool,
    /// Strides of parameters that are not in scope yet: the parameter, the dimension, the name and its position.
    later_strides: Vec<(Var, usize, &'t str, Span)>,
}

impl<'t> Cursor<'t> for Parser<'t> {
    fn tokens(&self) -> &Tokens<'t> {
        &self.tokens
    }

    fn tokens_mut(&mut self) -> &mut Tokens<'t> {
        &mut self.tokens
    }
}

impl<'t> Parser<'t> {
    fn function(&mut self) -> Parsed<Function> {
        let start = self.span();
        let is_entry = self.eat_word("entry");
        if !is_entry && !self.eat_word("fun") {
            return Err(self.expected("`fun` or `entry`"));
        }
        let name = self.name()?;
        self.in_params = true;
        let params = self.list("(", ")", |p| p.binding().map(|(var, consumed)| Param { var, consumed }))?;
        self.in_params = false;
        self.mark("->")?;
        let scope = self.scope.log.len();
        let results = self.list("(", ")", |p| p.binding().map(|(var, unique)| ResultDecl { var, unique }))?;
        self.scope.leave(scope);
        let span = start.to(self.previous_span());
        let entry = if is_entry { Some(self.entry_point()?) } else { None };
        let body = self.body()?;
        self.scope.leave(0);
        let vars = std::mem::take(&mut self.vars);
        Ok(Function { name, entry, vars, params, results, body, span })
    }

    fn entry_point(&mut self) -> Parsed<EntryPoint> {
        self.word("as")?;
        let name = self.text()?;
        self.word("sizes")?;
        let size_params = self.count()?;
        let params = self.list("(", ")", |p| {
            let name = p.name()?;
            p.mark(":")?;
            let consumed = p.eat("*");
            Ok(EntryParam { name, consumed, ty: p.entry_type()? })
        })?;
        self.mark("->")?;
        self.word("sizes")?;
        let size_results = self.count()?;
        let tuple = if self.peek() == &TokenKind::Mark("(") { None } else { Some(self.text()?) };
        let results = self.list("(", ")", |p| {
            let unique = p.eat("*");
            Ok(EntryResult { unique, ty: p.entry_type()? })
        })?;
        Ok(EntryPoint { name, size_params, params, size_results, tuple, results })
    }

    fn body(&mut self) -> Parsed<Body> {
        self.nested(|p| {
            p.mark("{")?;
            let scope = p.scope.log.len();
            let mut stms = Vec::new();
            while !p.eat_word("return") {
                stms.push(p.stm()?);
                p.mark(";")?;
            }
            let result =
                if p.peek() == &TokenKind::Mark("}") { Vec::new() } else { p.separated(|p| p.operand())? };
            p.mark("}")?;
            if p.depth == 1 {
                p.resolve_strides()?;
            }
            p.scope.leave(scope);
            Ok(Body { stms, result })
        })
    }

    /// Resolves strides of parameters that the outermost body binds.
    fn resolve_strides(&mut self) -> Parsed<()> {
        for (param, dim, name, span) in std::mem::take(&mut self.later_strides) {
            let Some(stride) = self.scope.vars.get(name) else {
                return Err(syntax_error(span, format!("`{name}` is not in scope")));
            };
            if let Some(placement) = &mut self.vars[param].placement {
                placement.index_fn.dims[dim].stride = (*stride).into();
            }
        }
        Ok(())
    }

    fn stm(&mut self) -> Parsed<Stm> {
        let start = self.span();
        let scope = self.scope.log.len();
        let pattern = if self.eat("(") {
            self.mark(")")?;
            Vec::new()
        } else {
            self.separated(|p| p.binding().map(|(var, _)| var))?
        };
        self.mark("=")?;
        let bound = self.scope.leave(scope);
        let certs =
            if self.peek() == &TokenKind::Mark("{") { self.list("{", "}", |p| p.var())? } else { Vec::new() };
        let expr = self.expr()?;
        for (name, var) in bound {
            self.scope.enter(name, var);
        }
        Ok(Stm { pattern, expr, certs, span: start.to(self.previous_span()) })
    }

    fn lambda(&mut self) -> Parsed<Lambda> {
        let scope = self.scope.log.len();
        let params = self.list("(", ")", |p| p.binding().map(|(var, _)| var))?;
        let body = self.body()?;
        self.scope.leave(scope);
        Ok(Lambda { params, body })
    }

    /// Creates a fresh variable and brings it into scope.
    fn bind(&mut self, name: &'t str, ty: Type) -> Var {
        let var = self.vars.push(VarData { name: name.as_bytes().into(), ty, placement: None });
        self.scope.enter(name, var);
        var
    }

    /// Parses with the names entered since `mark` hidden.
    fn outside<T>(&mut self, mark: usize, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let hidden = self.scope.leave(mark);
        let result = parse(self);
        for (name, var) in hidden {
            self.scope.enter(name, var);
        }
        result
    }

    /// Guards the stack against texts that nest too deeply.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == LEVELS {
            return Err(self.error(format!("more than {LEVELS} levels of nesting")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}
