//! MExpr as data: the trees that `bootParserParseMExprString` returns to programs.
//!
//! A tree is a node with parts of nine kinds, which programs select by number: `bootParserGetTerm t 0` is the first term in `t`.
//! The kinds of nodes, and the parts of each kind with their order, are the interface of Miking's first parser
//! (`mexpr/boot-parser.mc`). What this parser reads as lists (consecutive definitions, `lam x. lam y.`, `f x y`) is nested there,
//! and `if`, `switch`, tuples and projections are matches and records. Unbound names are errors, unless they are built-ins or
//! announced. Sets of constructors in types are left out, as everywhere here.

use rustc_hash::FxHashMap;
use warpwise_diag::{FileId, Span};
use warpwise_ir::deep::deep;

use crate::builtins::{ALL, Kind};
use crate::syntax::ast::{
    Binding, Decl, DeclKind, Expr, ExprKind, Ident, Parameter, Pat, PatKind, SeqPat, Test, TypeExpr,
    TypeKind, Utest,
};
use crate::syntax::names::{Names, Symbol};
use crate::syntax::parser::parse_expression;

use super::value::Value;

/// The kinds of a node's parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Id,
    Infos,
    Lengths,
    Types,
    Terms,
    Strings,
    Ints,
    Floats,
    Constants,
    Patterns,
}

/// A node before it becomes a value.
#[derive(Default)]
struct Node {
    infos: Vec<Value>,
    lengths: Vec<i64>,
    types: Vec<Value>,
    terms: Vec<Value>,
    strings: Vec<Value>,
    ints: Vec<i64>,
    floats: Vec<f64>,
    constants: Vec<Value>,
    patterns: Vec<Value>,
}

impl Node {
    fn value(self, id: i64) -> Value {
        let ints = |ints: Vec<i64>| Value::Seq(ints.into_iter().map(Value::Int).collect());
        let parts = vec![
            ints(vec![id]),
            Value::Seq(self.infos.into()),
            ints(self.lengths),
            Value::Seq(self.types.into()),
            Value::Seq(self.terms.into()),
            Value::Seq(self.strings.into()),
            ints(self.ints),
            Value::Seq(self.floats.into_iter().map(Value::Float).collect()),
            Value::Seq(self.constants.into()),
            Value::Seq(self.patterns.into()),
        ];
        Value::Seq(parts.into())
    }
}

/// Returns a part of a node; `None` if there is no such part, or if `node` is not a node.
pub(super) fn part(node: &Value, part: Part, index: i64) -> Option<Value> {
    let Value::Seq(node) = node else { return None };
    let Value::Seq(parts) = node.get(part as usize)? else { return None };
    parts.get(usize::try_from(index).ok()?)
}

/// An error in a text, with its position.
struct Wrong {
    message: String,
    span: Span,
}

/// Returns the tree of a text, or a node with the error. `known` are names that need not be bound; any name may be free if
/// `allow_free`.
pub(super) fn parse(text: &str, known: &[String], allow_free: bool) -> Value {
    deep(|| parse_here(text, known, allow_free))
}

fn parse_here(text: &str, known: &[String], allow_free: bool) -> Value {
    let mut names = Names::new();
    let parsed = parse_expression(FileId(u32::MAX), text, &mut names);
    let mut tree = Tree {
        text,
        lines: line_starts(text),
        names: &mut names,
        bound: FxHashMap::default(),
        is_open: allow_free,
    };
    let builtins =
        ALL.iter().filter(|builtin| builtin.kind() != Kind::External).map(|builtin| builtin.name());
    for name in builtins.chain(known.iter().map(String::as_str)) {
        let name = tree.names.intern(name);
        tree.bound.insert(name, 1);
    }
    let built = match parsed {
        Ok(expr) => tree.expr(&expr),
        Err(errors) => {
            let first =
                errors.first().map(|error| Wrong { message: error.message.clone(), span: error.span });
            Err(first.unwrap_or(Wrong { message: "this is no expression".to_string(), span: Span::NONE }))
        }
    };
    built.unwrap_or_else(|wrong| {
        let infos = vec![tree.info(wrong.span)];
        let strings = vec![Value::string(&wrong.message)];
        Node { infos, lengths: vec![1], strings, ..Node::default() }.value(600)
    })
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct Tree<'a> {
    text: &'a str,
    lines: Vec<usize>,
    names: &'a mut Names,
    /// Number of open bindings of each name.
    bound: FxHashMap<Symbol, u32>,
    is_open: bool,
}

type Built = Result<Value, Wrong>;

/// The name of a value that is computed once and then inspected; no program can write such a variable.
const ONCE: &str = "X";

impl Tree<'_> {
    // Source positions and names

    /// Returns row and column of a byte.
    fn position(&self, at: u32) -> [i64; 2] {
        let at = (at as usize).min(self.text.len());
        let row = self.lines.partition_point(|start| *start <= at);
        let line = self.text.get(self.lines[row - 1]..at).unwrap_or_default();
        [row as i64, line.chars().count() as i64]
    }

    fn info(&self, span: Span) -> Value {
        if span == Span::NONE {
            return Node::default().value(501);
        }
        let ints = [self.position(span.start), self.position(span.end)].concat();
        Node { strings: vec![Value::string("internal")], ints, ..Node::default() }.value(500)
    }

    fn infos(&self, span: Span) -> Node {
        Node { infos: vec![self.info(span)], ..Node::default() }
    }

    /// Returns the span that starts at the last occurrence of `word` before `before` and ends with `to`.
    fn starting_at(&self, word: &str, before: Span, to: Span) -> Span {
        let start = self.text.get(..before.start as usize).and_then(|text| text.rfind(word));
        start.map_or(to, |start| Span { start: start as u32, ..to })
    }

    fn name(&self, name: Symbol) -> Value {
        Value::string(self.names.text(name))
    }

    fn check(&self, what: &str, name: Symbol, span: Span) -> Result<(), Wrong> {
        if self.is_open || self.bound.get(&name).is_some_and(|count| *count > 0) {
            return Ok(());
        }
        Err(Wrong { message: format!("Unknown {what} '{}'", self.names.text(name)), span })
    }

    /// Runs `part` with these names bound.
    fn within(&mut self, names: &[Symbol], part: impl FnOnce(&mut Self) -> Built) -> Built {
        names.iter().for_each(|name| *self.bound.entry(*name).or_default() += 1);
        let built = part(self);
        names.iter().for_each(|name| *self.bound.entry(*name).or_default() -= 1);
        built
    }

    // Terms

    fn expr(&mut self, expr: &Expr) -> Built {
        let span = expr.span;
        let mut node = self.infos(span);
        let id = match &expr.kind {
            ExprKind::Var(name) | ExprKind::Frozen(name) => {
                self.check("variable", *name, span)?;
                return Ok(self.var(*name, matches!(expr.kind, ExprKind::Frozen(_)), span));
            }
            ExprKind::Int(value) => return Ok(self.constant(301, |node| node.ints = vec![*value], span)),
            ExprKind::Float(value) => return Ok(self.constant(302, |node| node.floats = vec![*value], span)),
            ExprKind::Char(value) => return Ok(self.char(*value, span)),
            ExprKind::Bool(value) => {
                return Ok(self.constant(300, |node| node.ints = vec![i64::from(*value)], span));
            }
            ExprKind::String(text) => {
                node.terms = text.chars().map(|char| self.char(char, span)).collect();
                node.lengths = vec![node.terms.len() as i64];
                106
            }
            ExprKind::Never => 114,
            ExprKind::Apply(function, arguments) => {
                let mut applied = self.expr(function)?;
                for argument in arguments {
                    let mut node = self.infos(Span { end: argument.span.end, ..function.span });
                    node.terms = vec![applied, self.expr(argument)?];
                    applied = node.value(101);
                }
                return Ok(applied);
            }
            ExprKind::Construct(name, held) => {
                self.check("constructor", name.name, name.span)?;
                node.strings = vec![self.name(name.name)];
                node.terms = vec![self.expr(held)?];
                111
            }
            ExprKind::Lambda(parameters, body) => return self.lambda(parameters, body, span),
            ExprKind::Choice(tests, otherwise) => return self.choice(tests, otherwise, span),
            ExprKind::Switch(scrutinee, cases) => {
                let once = self.names.intern(ONCE);
                let value = self.expr(scrutinee)?;
                let cases = self.within(&[once], |tree| tree.cases(once, cases, span))?;
                (node.strings, node.types) = (vec![Value::string(ONCE)], vec![self.infos(span).value(200)]);
                node.terms = vec![value, cases];
                103
            }
            ExprKind::Tuple(items) => {
                node.strings = (0..items.len()).map(|index| Value::string(&index.to_string())).collect();
                self.terms(&mut node, items)?;
                107
            }
            ExprKind::Record(fields) => {
                node.strings = fields.iter().map(|(label, _)| self.name(label.name)).collect();
                for (_, value) in fields {
                    node.terms.push(self.expr(value)?);
                }
                node.lengths = vec![fields.len() as i64];
                107
            }
            ExprKind::Update(record, fields) => {
                let mut updated = self.expr(record)?;
                for (label, value) in fields {
                    let mut node = self.infos(span);
                    node.strings = vec![self.name(label.name)];
                    node.terms = vec![updated, self.expr(value)?];
                    updated = node.value(108);
                }
                return Ok(updated);
            }
            ExprKind::Project(value, path) => {
                let mut found = self.expr(value)?;
                for label in path {
                    found = self.projection(found, *label, Span { end: label.span.end, ..value.span });
                }
                return Ok(found);
            }
            ExprKind::Seq(items) => {
                self.terms(&mut node, items)?;
                106
            }
            ExprKind::Block(decls, result) => return self.block(decls, result),
        };
        Ok(node.value(id))
    }

    fn choice(&mut self, tests: &[Test], otherwise: &Expr, span: Span) -> Built {
        let Some((test, rest)) = tests.split_first() else { return self.expr(otherwise) };
        let scrutinee = self.expr(&test.scrutinee)?;
        let (word, pattern, names) = match &test.pattern {
            Some(pattern) => ("match", self.pattern(pattern)?, pattern_names(pattern)),
            None => ("if", self.bool_pattern(span), Vec::new()),
        };
        let then = self.within(&names, |tree| tree.expr(&test.then))?;
        let otherwise = self.choice(rest, otherwise, span)?;
        let mut node = self.infos(self.starting_at(word, test.scrutinee.span, span));
        (node.terms, node.patterns) = (vec![scrutinee, then, otherwise], vec![pattern]);
        Ok(node.value(112))
    }

    fn terms(&mut self, node: &mut Node, items: &[Expr]) -> Result<(), Wrong> {
        for item in items {
            node.terms.push(self.expr(item)?);
        }
        node.lengths = vec![items.len() as i64];
        Ok(())
    }

    fn var(&self, name: Symbol, is_frozen: bool, span: Span) -> Value {
        let mut node = self.infos(span);
        (node.strings, node.ints) = (vec![self.name(name)], vec![i64::from(is_frozen)]);
        node.value(100)
    }

    fn constant(&self, id: i64, fill: impl FnOnce(&mut Node), span: Span) -> Value {
        let mut constant = Node::default();
        fill(&mut constant);
        let mut node = self.infos(span);
        node.constants = vec![constant.value(id)];
        node.value(105)
    }

    fn char(&self, char: char, span: Span) -> Value {
        self.constant(303, |node| node.ints = vec![i64::from(u32::from(char))], span)
    }

    fn projection(&mut self, value: Value, label: Ident, span: Span) -> Value {
        let once = self.names.intern(ONCE);
        let mut field = self.infos(span);
        field.strings = vec![Value::string(ONCE)];
        let mut pattern = self.infos(span);
        pattern.lengths = vec![1];
        (pattern.strings, pattern.patterns) = (vec![self.name(label.name)], vec![field.value(400)]);
        let mut node = self.infos(span);
        node.terms = vec![value, self.var(once, false, span), self.infos(span).value(114)];
        node.patterns = vec![pattern.value(403)];
        node.value(112)
    }

    fn lambda(&mut self, parameters: &[Parameter], body: &Expr, span: Span) -> Built {
        let Some((first, rest)) = parameters.split_first() else { return self.expr(body) };
        let nothing = self.names.intern("");
        let name = first.name.map_or(nothing, |name| name.name);
        let mut node = self.infos(span);
        node.strings = vec![self.name(name)];
        node.types = vec![self.optional(first.ty.as_ref(), span)];
        let next = rest.first().and_then(|next| next.name);
        let inside = next.map_or(span, |next| self.starting_at("lam", next.span, span));
        node.terms = vec![self.within(&[name], |tree| tree.lambda(rest, body, inside))?];
        Ok(node.value(102))
    }

    fn cases(&mut self, once: Symbol, cases: &[(Pat, Expr)], span: Span) -> Built {
        let Some(((pattern, then), rest)) = cases.split_first() else {
            return Ok(self.infos(span).value(114));
        };
        let here = self.starting_at("case", pattern.span, span);
        let mut node = self.infos(here);
        node.patterns = vec![self.pattern(pattern)?];
        let names = pattern_names(pattern);
        let then = self.within(&names, |tree| tree.expr(then))?;
        node.terms = vec![self.var(once, false, here), then, self.cases(once, rest, span)?];
        Ok(node.value(112))
    }

    // Definitions

    /// Builds definitions, with the expression in their scope.
    fn block(&mut self, decls: &[Decl], result: &Expr) -> Built {
        let Some((decl, rest)) = decls.split_first() else { return self.expr(result) };
        let whole = Span { end: result.span.end, ..decl.span };
        let mut node = self.infos(decl.span);
        let id = match &decl.kind {
            DeclKind::Let(binding) => {
                node.types = vec![self.optional(binding.ty.as_ref(), decl.span)];
                let body = self.expr(&binding.body)?;
                let rest = self.within(&[binding.name.name], |tree| tree.block(rest, result))?;
                (node.strings, node.terms) = (vec![self.name(binding.name.name)], vec![body, rest]);
                103
            }
            DeclKind::Recursive(bindings) => {
                let names: Vec<Symbol> = bindings.iter().map(|binding| binding.name.name).collect();
                node.lengths = vec![bindings.len() as i64];
                return self.within(&names, |tree| tree.recursive(node, bindings, rest, result));
            }
            DeclKind::Type(ty) => {
                if let Some(definition) = &ty.definition {
                    node = self.infos(whole);
                    node.types = vec![self.ty(definition)];
                } else {
                    let mut variant = self.infos(decl.span);
                    variant.lengths = vec![0];
                    node.types = vec![variant.value(208)];
                }
                node.strings =
                    std::iter::once(&ty.name).chain(&ty.parameters).map(|it| self.name(it.name)).collect();
                node.lengths = vec![node.strings.len() as i64];
                node.terms = vec![self.block(rest, result)?];
                109
            }
            DeclKind::Con(con) => {
                node.types = vec![self.optional(con.ty.as_ref(), decl.span)];
                node.strings = vec![self.name(con.name.name)];
                node.terms = vec![self.within(&[con.name.name], |tree| tree.block(rest, result))?];
                110
            }
            DeclKind::External(external) => {
                node = self.infos(whole);
                (node.types, node.ints) = (vec![self.ty(&external.ty)], vec![i64::from(external.effect)]);
                node.strings = vec![self.name(external.name.name)];
                node.terms = vec![self.within(&[external.name.name], |tree| tree.block(rest, result))?];
                115
            }
            DeclKind::Utest(utest) => {
                self.utest(&mut node, utest, rest, result)?;
                113
            }
            DeclKind::Do(value) => {
                node = self.infos(value.span);
                node.types = vec![self.infos(value.span).value(200)];
                node.strings = vec![Value::string("")];
                node.terms = vec![self.expr(value)?, self.block(rest, result)?];
                103
            }
            DeclKind::Match(parts) => {
                node = self.infos(whole);
                let value = self.expr(&parts.0)?;
                node.patterns = vec![self.pattern(&parts.1)?];
                let then = self.within(&pattern_names(&parts.1), |tree| tree.block(rest, result))?;
                node.terms = vec![value, then, self.infos(whole).value(114)];
                112
            }
            DeclKind::Use(name) => {
                node.strings = vec![self.name(name.name)];
                node.terms = vec![self.block(rest, result)?];
                116
            }
            DeclKind::Lang(lang) => {
                let message = "language fragments are not part of an expression".to_string();
                return Err(Wrong { message, span: lang.name.span });
            }
        };
        Ok(node.value(id))
    }

    fn recursive(&mut self, mut node: Node, bindings: &[Binding], rest: &[Decl], result: &Expr) -> Built {
        for binding in bindings {
            let whole = Span { end: binding.body.span.end, ..binding.name.span };
            let span = self.starting_at("let", binding.name.span, whole);
            node.infos.push(self.info(span));
            node.strings.push(self.name(binding.name.name));
            node.types.push(self.optional(binding.ty.as_ref(), span));
            node.terms.push(self.expr(&binding.body)?);
        }
        node.terms.push(self.block(rest, result)?);
        Ok(node.value(104))
    }

    fn utest(&mut self, node: &mut Node, utest: &Utest, rest: &[Decl], result: &Expr) -> Result<(), Wrong> {
        node.terms = vec![self.expr(&utest.actual)?, self.expr(&utest.expected)?];
        let last = utest.otherwise.as_ref().or(utest.using.as_ref());
        if let Some(last) = last {
            let start = self.position_of(utest);
            node.infos = vec![self.info(Span { end: last.span.end, ..start })];
        }
        if let (None, Some(otherwise)) = (&utest.using, &utest.otherwise) {
            let message = "`else` of a test stands behind `using`".to_string();
            return Err(Wrong { message, span: otherwise.span });
        }
        let optional = utest.using.iter().chain(&utest.otherwise);
        let optional = optional.map(|expr| self.expr(expr)).collect::<Result<Vec<_>, _>>()?;
        node.terms.push(self.block(rest, result)?);
        node.terms.extend(optional);
        node.lengths = vec![node.terms.len() as i64];
        Ok(())
    }

    /// Returns the position of a test.
    fn position_of(&self, utest: &Utest) -> Span {
        self.starting_at("utest", utest.actual.span, utest.actual.span)
    }

    // Types

    fn optional(&self, ty: Option<&TypeExpr>, span: Span) -> Value {
        ty.map_or_else(|| self.infos(span).value(200), |ty| self.ty(ty))
    }

    fn ty(&self, ty: &TypeExpr) -> Value {
        let mut node = self.infos(ty.span);
        let id = match &ty.kind {
            TypeKind::Unknown => 200,
            TypeKind::Bool => 201,
            TypeKind::Int => 202,
            TypeKind::Float => 203,
            TypeKind::Char => 204,
            TypeKind::String => {
                node.types = vec![self.infos(ty.span).value(204)];
                206
            }
            TypeKind::Seq(element) => {
                node.types = vec![self.ty(element)];
                206
            }
            TypeKind::Tensor(element) => {
                node.types = vec![self.ty(element)];
                212
            }
            TypeKind::Tuple(items) => {
                node.strings = (0..items.len()).map(|index| Value::string(&index.to_string())).collect();
                node.types = items.iter().map(|item| self.ty(item)).collect();
                node.lengths = vec![items.len() as i64];
                207
            }
            TypeKind::Record(fields) => {
                node.strings = fields.iter().map(|(label, _)| self.name(label.name)).collect();
                node.types = fields.iter().map(|(_, ty)| self.ty(ty)).collect();
                node.lengths = vec![fields.len() as i64];
                207
            }
            TypeKind::Var(name) => {
                node.strings = vec![self.name(*name)];
                210
            }
            TypeKind::Named(name, arguments) => {
                let mut head = self.infos(name.span);
                (head.strings, head.ints) = (vec![self.name(name.name)], vec![0]);
                return self.applied(head.value(209), ty.span, arguments);
            }
            TypeKind::Apply(name, arguments) => {
                let mut head = self.infos(name.span);
                head.strings = vec![self.name(name.name)];
                return self.applied(head.value(210), ty.span, arguments);
            }
            TypeKind::Arrow(from, to) => {
                node.types = vec![self.ty(from), self.ty(to)];
                205
            }
            TypeKind::All(name, body) => {
                (node.strings, node.ints) = (vec![self.name(name.name)], vec![0]);
                node.types = vec![self.ty(body)];
                213
            }
            TypeKind::Use(name, body) => {
                (node.strings, node.types) = (vec![self.name(name.name)], vec![self.ty(body)]);
                214
            }
        };
        node.value(id)
    }

    fn applied(&self, head: Value, span: Span, arguments: &[TypeExpr]) -> Value {
        arguments.iter().fold(head, |function, argument| {
            let mut node = self.infos(Span { end: argument.span.end, ..span });
            node.types = vec![function, self.ty(argument)];
            node.value(211)
        })
    }

    // Patterns

    fn pattern(&mut self, pat: &Pat) -> Built {
        let span = pat.span;
        let mut node = self.infos(span);
        let id = match &pat.kind {
            PatKind::Wildcard => {
                node.strings = vec![Value::string("")];
                400
            }
            PatKind::Name(name) => {
                node.strings = vec![self.name(*name)];
                400
            }
            PatKind::Int(value) => {
                node.ints = vec![*value];
                405
            }
            PatKind::Char(value) => {
                node.ints = vec![i64::from(u32::from(*value))];
                406
            }
            PatKind::Bool(value) => {
                node.ints = vec![i64::from(*value)];
                407
            }
            PatKind::Tuple(items) => {
                node.strings = (0..items.len()).map(|index| Value::string(&index.to_string())).collect();
                node.patterns = self.patterns(items.iter())?;
                node.lengths = vec![items.len() as i64];
                403
            }
            PatKind::Record(fields) => {
                node.strings = fields.iter().map(|(label, _)| self.name(label.name)).collect();
                node.patterns = self.patterns(fields.iter().map(|(_, pat)| pat))?;
                node.lengths = vec![fields.len() as i64];
                403
            }
            PatKind::Construct(name, held) => {
                self.check("constructor", name.name, name.span)?;
                (node.strings, node.patterns) = (vec![self.name(name.name)], vec![self.pattern(held)?]);
                404
            }
            PatKind::Seq(row) => {
                node.patterns = self.row(row, span)?;
                node.lengths = vec![node.patterns.len() as i64];
                401
            }
            PatKind::Edge(first, middle, last) => {
                node.patterns = self.row(first, span)?;
                let last = self.row(last, span)?;
                node.lengths = vec![node.patterns.len() as i64, last.len() as i64];
                node.patterns.extend(last);
                node.strings = vec![match &middle.kind {
                    PatKind::Name(name) => self.name(*name),
                    _ => Value::string(""),
                }];
                402
            }
            PatKind::And(left, right) => {
                node.patterns = vec![self.pattern(left)?, self.pattern(right)?];
                408
            }
            PatKind::Or(left, right) => {
                node.patterns = vec![self.pattern(left)?, self.pattern(right)?];
                409
            }
            PatKind::Not(inner) => {
                node.patterns = vec![self.pattern(inner)?];
                410
            }
        };
        Ok(node.value(id))
    }

    fn patterns<'p>(&mut self, items: impl Iterator<Item = &'p Pat>) -> Result<Vec<Value>, Wrong> {
        items.map(|item| self.pattern(item)).collect()
    }

    fn row(&mut self, row: &SeqPat, span: Span) -> Result<Vec<Value>, Wrong> {
        match row {
            SeqPat::List(items) => self.patterns(items.iter()),
            SeqPat::String(text) => {
                let char = |char| self.pattern(&Pat { kind: PatKind::Char(char), span });
                text.chars().map(char).collect()
            }
        }
    }

    fn bool_pattern(&self, span: Span) -> Value {
        let mut node = self.infos(span);
        node.ints = vec![1];
        node.value(407)
    }
}

/// Returns the names that a pattern binds.
fn pattern_names(pat: &Pat) -> Vec<Symbol> {
    let mut found = Vec::new();
    let row = |row: &SeqPat, found: &mut Vec<Symbol>| {
        if let SeqPat::List(items) = row {
            found.extend(items.iter().flat_map(pattern_names));
        }
    };
    match &pat.kind {
        PatKind::Wildcard | PatKind::Int(_) | PatKind::Char(_) | PatKind::Bool(_) => {}
        PatKind::Name(name) => found.push(*name),
        PatKind::Tuple(items) => found.extend(items.iter().flat_map(pattern_names)),
        PatKind::Record(fields) => found.extend(fields.iter().flat_map(|(_, pat)| pattern_names(pat))),
        PatKind::Construct(_, inner) | PatKind::Not(inner) => found.extend(pattern_names(inner)),
        PatKind::Seq(items) => row(items, &mut found),
        PatKind::Edge(first, middle, last) => {
            row(first, &mut found);
            found.extend(pattern_names(middle));
            row(last, &mut found);
        }
        PatKind::And(left, right) | PatKind::Or(left, right) => {
            found.extend(pattern_names(left));
            found.extend(pattern_names(right));
        }
    }
    found
}
