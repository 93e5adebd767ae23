//! Language fragments: open types (`syn`) and open functions (`sem`).
//!
//! A fragment has the members of its parents and its own. Types of equal name are one type, to which a fragment may add
//! constructors. Each fragment makes its functions anew from the cases of its parents and its own, as one group of recursive
//! definitions, so that a case calls the functions of the fragment and not those of the parent that wrote the case. All other
//! names in a case, and the types of functions, keep the meaning that they had where they are written: a case is resolved once,
//! and fragments that inherit it get copies. Cases are tried from special to general ([`covers`]). Cases that do not cover each
//! other are tried in the order written, those of parents first. `use` brings the members of a fragment into scope; the names of
//! its types hold in the whole program, even before the fragment. Absent: `with`, which renames members.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Span};

use crate::builtins::Builtin;
use crate::syntax::ast::{self, Ident, Lang, LangDeclKind, Pat, PatKind, SeqPat, TypeDecl, TypeExpr};
use crate::syntax::names::Symbol;
use crate::tree::{
    self, Binding, ConId, DeclKind, Expr, ExprKind, Name, NamedType, Test, Type, TypeId, TypeVar, VarId,
};

use super::copies::Copier;
use super::{Resolver, Value};

/// A language fragment.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// Its types.
    types: Vec<(Symbol, TypeId)>,
    /// Its constructors.
    cons: Vec<(Symbol, ConId)>,
    /// Its functions.
    functions: Vec<OpenFunction>,
}

/// A function of a fragment.
#[derive(Clone, Debug)]
struct OpenFunction {
    name: Ident,
    var: VarId,
    ty: Option<Type>,
    /// The parameters before the matched one, as first written.
    parameters: Vec<(Symbol, Option<Type>)>,
    cases: Vec<Rc<Case>>,
}

/// A case, as resolved in the fragment that writes it.
#[derive(Debug)]
struct Case {
    /// The pattern as written, which determines the order of the cases.
    written: Pat,
    /// The parameters' variables.
    parameters: Vec<VarId>,
    pattern: tree::Pat,
    body: Expr,
    /// The functions of the fragment that wrote the case, which the case may call.
    functions: Rc<[(Symbol, VarId)]>,
    /// The type of the function; the case may mention its type variables.
    ty: Option<Type>,
}

impl Resolver<'_> {
    /// Defines a fragment; returns the definition of its functions.
    pub(super) fn language(&mut self, lang: &Lang) -> Option<DeclKind> {
        let mut fragment = Fragment { types: Vec::new(), cons: Vec::new(), functions: Vec::new() };
        for parent in &lang.parents {
            if let Some(parent) = self.fragment(*parent) {
                self.inherit(&mut fragment, parent);
            }
        }
        if let Some(with) = lang.withs.first() {
            let message = "`with` in language fragments is not supported";
            self.error(Diagnostic::error("M0112", with.name.span, message));
        }
        let bindings = self.scoped(|resolver| {
            resolver.open(&fragment);
            resolver.own_types(&mut fragment, lang);
            resolver.own_signatures(&mut fragment, lang);
            resolver.own_cases(&mut fragment, lang);
            fragment
                .functions
                .iter()
                .map(|function| resolver.open_function(function, &fragment))
                .collect::<Vec<_>>()
        });
        self.publish_types(&fragment, lang);
        self.fragments.insert(lang.name.name, fragment);
        (!bindings.is_empty()).then_some(DeclKind::Recursive(bindings))
    }

    /// Brings the members of a fragment into scope.
    pub(super) fn open_fragment(&mut self, name: Ident) {
        if let Some(fragment) = self.fragment(name) {
            self.open(&fragment);
        }
    }

    fn open(&mut self, fragment: &Fragment) {
        fragment.types.iter().for_each(|(name, ty)| self.types.bind(*name, *ty));
        fragment.cons.iter().for_each(|(name, con)| self.cons.bind(*name, *con));
        for function in &fragment.functions {
            self.values.bind(function.name.name, Value::Var(function.var));
        }
    }

    fn fragment(&mut self, name: Ident) -> Option<Fragment> {
        let found = self.fragments.get(&name.name).cloned();
        if found.is_none() {
            let message = format!("there is no language fragment `{}` here", self.text(name.name));
            self.error(Diagnostic::error("M0213", name.span, message));
        }
        found
    }

    fn inherit(&mut self, fragment: &mut Fragment, parent: Fragment) {
        for (name, ty) in parent.types {
            match fragment.types.iter().find(|(other, _)| *other == name) {
                Some((_, first)) => self.make_same(*first, ty),
                None => fragment.types.push((name, ty)),
            }
        }
        for con in parent.cons {
            if !fragment.cons.contains(&con) {
                fragment.cons.push(con);
            }
        }
        for function in parent.functions {
            match fragment.functions.iter_mut().find(|other| other.name == function.name) {
                Some(known) => {
                    known.ty = known.ty.take().or(function.ty);
                    if known.cases.is_empty() {
                        known.parameters = function.parameters;
                    }
                    let new = |case: &Rc<Case>| !known.cases.iter().any(|other| Rc::ptr_eq(other, case));
                    let new: Vec<_> = function.cases.into_iter().filter(new).collect();
                    known.cases.extend(new);
                }
                None => fragment.functions.push(function),
            }
        }
    }

    // Types

    /// Makes type `second` stand for type `first`.
    fn make_same(&mut self, first: TypeId, second: TypeId) {
        let (first, second) = (self.stands_for(first), self.stands_for(second));
        let parameters = self.program.types[second.0 as usize].parameters.clone();
        let same_shape = parameters.len() == self.program.types[first.0 as usize].parameters.len();
        let both_open =
            [first, second].iter().all(|ty| self.program.types[ty.0 as usize].definition.is_none());
        if first != second && same_shape && both_open {
            let arguments = parameters.into_iter().map(Type::Var).collect();
            self.program.types[second.0 as usize].definition = Some(Type::Named(first, arguments));
        }
    }

    /// Returns the type that a type stands for.
    fn stands_for(&self, ty: TypeId) -> TypeId {
        match &self.program.types[ty.0 as usize].definition {
            Some(Type::Named(other, arguments))
                if arguments.iter().all(|argument| matches!(argument, Type::Var(_))) =>
            {
                self.stands_for(*other)
            }
            _ => ty,
        }
    }

    /// Resolves the types of a fragment, which may use each other in any order.
    fn own_types(&mut self, fragment: &mut Fragment, lang: &Lang) {
        for decl in &lang.decls {
            match &decl.kind {
                LangDeclKind::Syn { name, parameters, .. } => {
                    if !fragment.types.iter().any(|(other, _)| *other == name.name) {
                        self.declare_type(fragment, *name, parameters);
                    }
                }
                LangDeclKind::Type(decl) => self.declare_type(fragment, decl.name, &decl.parameters),
                LangDeclKind::Sem { .. } | LangDeclKind::SemType { .. } => {}
            }
        }
        for decl in &lang.decls {
            if let LangDeclKind::Type(decl) = &decl.kind {
                self.define_alias(decl);
            }
        }
        for decl in &lang.decls {
            if let LangDeclKind::Syn { name, parameters, constructors } = &decl.kind {
                for (constructor, held) in constructors {
                    self.own_constructor(fragment, *name, parameters, *constructor, held.as_ref());
                }
            }
        }
    }

    /// Keeps the names of a fragment's own types in scope after the fragment.
    fn publish_types(&mut self, fragment: &Fragment, lang: &Lang) {
        for decl in &lang.decls {
            let name = match &decl.kind {
                LangDeclKind::Syn { name, .. } | LangDeclKind::Type(TypeDecl { name, .. }) => name.name,
                LangDeclKind::Sem { .. } | LangDeclKind::SemType { .. } => continue,
            };
            if let Some((_, ty)) = fragment.types.iter().find(|(other, _)| *other == name) {
                self.types.bind(name, *ty);
            }
        }
    }

    /// Returns a type that a fragment defines further down.
    pub(super) fn later_type(&mut self, name: Ident) -> Option<TypeId> {
        let n_parameters = *self.later_types.get(&name.name)?;
        if let Some(id) = self.mentioned_types.get(&name.name) {
            return Some(*id);
        }
        let parameters = (0..n_parameters).map(|_| self.fresh_type_var(name.name)).collect();
        let name = Name { name: name.name, span: name.span };
        let ty = NamedType { name, parameters, applied: Vec::new(), definition: None };
        self.program.types.push(ty);
        let id = TypeId(self.program.types.len() as u32 - 1);
        self.mentioned_types.insert(name.name, id);
        Some(id)
    }

    fn declare_type(&mut self, fragment: &mut Fragment, name: Ident, parameters: &[Ident]) {
        if let Some(id) = self.mentioned_types.remove(&name.name)
            && self.program.types[id.0 as usize].parameters.len() == parameters.len()
        {
            self.program.types[id.0 as usize].name.span = name.span;
            self.types.bind(name.name, id);
            fragment.types.push((name.name, id));
            return;
        }
        let parameters = parameters.iter().map(|parameter| self.fresh_type_var(parameter.name)).collect();
        let ty = NamedType {
            name: Name { name: name.name, span: name.span },
            parameters,
            applied: Vec::new(),
            definition: None,
        };
        self.program.types.push(ty);
        let id = TypeId(self.program.types.len() as u32 - 1);
        self.types.bind(name.name, id);
        fragment.types.retain(|(other, _)| *other != name.name);
        fragment.types.push((name.name, id));
    }

    fn define_alias(&mut self, decl: &TypeDecl) {
        let (Some(definition), Some(id)) = (&decl.definition, self.types.get(decl.name.name)) else { return };
        let vars = self.program.types[id.0 as usize].parameters.clone();
        let definition = self.scoped(|resolver| {
            for (parameter, var) in decl.parameters.iter().zip(vars) {
                resolver.type_vars.bind(parameter.name, var);
            }
            resolver.ty(definition)
        });
        if self.mentions(&definition, id) {
            let message = format!("the type `{}` is defined by itself", self.text(decl.name.name));
            let error = Diagnostic::error("M0215", decl.name.span, message)
                .hint("`syn` makes types whose constructors hold values of the same type");
            return self.error(error);
        }
        self.program.types[id.0 as usize].definition = Some(definition);
    }

    /// Returns whether a type mentions a named type, itself or by the definitions of the types in it.
    fn mentions(&self, ty: &Type, id: TypeId) -> bool {
        match ty {
            Type::Unknown | Type::Bool | Type::Int | Type::Float | Type::Char | Type::Var(_) => false,
            Type::Apply(_, arguments) => arguments.iter().any(|ty| self.mentions(ty, id)),
            Type::Seq(inner) | Type::Tensor(inner) | Type::All(_, inner) => self.mentions(inner, id),
            Type::Record(fields) => fields.iter().any(|(_, ty)| self.mentions(ty, id)),
            Type::Arrow(from, to) => self.mentions(from, id) || self.mentions(to, id),
            Type::Named(other, arguments) => {
                let definition = self.program.types[other.0 as usize].definition.as_ref();
                *other == id
                    || definition.is_some_and(|definition| self.mentions(definition, id))
                    || arguments.iter().any(|ty| self.mentions(ty, id))
            }
        }
    }

    fn own_constructor(
        &mut self,
        fragment: &mut Fragment,
        made: Ident,
        parameters: &[Ident],
        constructor: Ident,
        held: Option<&TypeExpr>,
    ) {
        let Some(id) = self.types.get(made.name) else { return };
        let expected = self.program.types[id.0 as usize].parameters.len();
        if expected != parameters.len() {
            let message = format!(
                "the type `{}` has {expected} parameters, not {}",
                self.text(made.name),
                parameters.len()
            );
            return self.error(Diagnostic::error("M0207", made.span, message));
        }
        let ty = self.scoped(|resolver| {
            let mut vars = Vec::new();
            for parameter in parameters {
                let var = resolver.fresh_type_var(parameter.name);
                resolver.type_vars.bind(parameter.name, var);
                vars.push(var);
            }
            let held = held.map_or(Type::Record(Vec::new()), |held| resolver.ty(held));
            let result = Type::Named(id, vars.iter().map(|var| Type::Var(*var)).collect());
            let arrow = Type::Arrow(Box::new(held), Box::new(result));
            vars.into_iter().rev().fold(arrow, |ty, var| Type::All(var, Box::new(ty)))
        });
        let con = self.define_con(Name { name: constructor.name, span: constructor.span }, ty);
        fragment.cons.retain(|(other, _)| *other != constructor.name);
        fragment.cons.push((constructor.name, con));
    }

    // Functions

    /// Adds the functions that a fragment writes, without their cases, and binds all functions of the fragment.
    fn own_signatures(&mut self, fragment: &mut Fragment, lang: &Lang) {
        for decl in &lang.decls {
            match &decl.kind {
                LangDeclKind::Sem { name, parameters, .. } => {
                    let resolved =
                        self.scoped(|resolver| resolver.sem_parameters(fragment, *name, parameters));
                    let function = open_function(fragment, *name);
                    if function.cases.is_empty() && function.parameters.is_empty() {
                        function.parameters = resolved;
                    } else if function.parameters.len() != parameters.len() {
                        let expected = function.parameters.len();
                        self.other_parameters(*name, expected, parameters.len());
                    }
                }
                LangDeclKind::SemType { name, ty } => {
                    let ty = self.scoped(|resolver| resolver.binding_type(ty));
                    open_function(fragment, *name).ty = Some(ty);
                }
                LangDeclKind::Syn { .. } | LangDeclKind::Type(_) => {}
            }
        }
        for function in &mut fragment.functions {
            function.var = self.bind(function.name.name, function.name.span);
        }
    }

    /// Resolves the parameters before the matched one; their types may mention the variables of the function's type.
    fn sem_parameters(
        &mut self,
        fragment: &Fragment,
        name: Ident,
        parameters: &[ast::Parameter],
    ) -> Vec<(Symbol, Option<Type>)> {
        let known = fragment.functions.iter().find(|function| function.name == name);
        self.bring_type_vars(known.and_then(|function| function.ty.as_ref()));
        let resolved = parameters.iter().map(|parameter| {
            let ty = parameter.ty.as_ref().map(|ty| self.ty(ty));
            (parameter.name.map_or(name.name, |name| name.name), ty)
        });
        resolved.collect()
    }

    /// Brings the variables of a type's outermost `all`s into scope.
    fn bring_type_vars(&mut self, mut ty: Option<&Type>) {
        while let Some(Type::All(var, body)) = ty {
            let name = self.program.type_vars[var.0 as usize];
            self.type_vars.bind(name, *var);
            ty = Some(body);
        }
    }

    fn other_parameters(&mut self, name: Ident, expected: usize, found: usize) {
        let message = format!(
            "`{}` has {expected} parameters before the one that is matched, not {found}",
            self.text(name.name)
        );
        self.error(Diagnostic::error("M0216", name.span, message));
    }

    /// Adds the cases that a fragment writes.
    fn own_cases(&mut self, fragment: &mut Fragment, lang: &Lang) {
        let functions = fragment.functions.iter().map(|function| (function.name.name, function.var));
        let functions: Rc<[_]> = functions.collect();
        for decl in &lang.decls {
            if let LangDeclKind::Sem { name, parameters, cases } = &decl.kind {
                let function = open_function(fragment, *name);
                for (pattern, body) in cases {
                    let ty = function.ty.clone();
                    let case = self.own_case(parameters, pattern, body, functions.clone(), ty);
                    function.cases.push(Rc::new(case));
                }
            }
        }
    }

    fn own_case(
        &mut self,
        parameters: &[ast::Parameter],
        written: &Pat,
        body: &ast::Expr,
        functions: Rc<[(Symbol, VarId)]>,
        ty: Option<Type>,
    ) -> Case {
        self.scoped(|resolver| {
            resolver.bring_type_vars(ty.as_ref());
            let nothing = resolver.names.intern("_");
            let mut vars = Vec::new();
            for parameter in parameters {
                vars.push(match parameter.name {
                    Some(name) => resolver.bind(name.name, name.span),
                    None => resolver.fresh_var(nothing, written.span),
                });
            }
            let pattern = resolver.pattern(written);
            let body = resolver.expr(body);
            Case { written: written.clone(), parameters: vars, pattern, body, functions, ty }
        })
    }

    /// Makes a function of a fragment from copies of its cases.
    fn open_function(&mut self, function: &OpenFunction, fragment: &Fragment) -> Binding {
        let span = function.name.span;
        let mut parameters = Vec::new();
        for (name, ty) in &function.parameters {
            parameters.push(tree::Parameter { var: self.fresh_var(*name, span), ty: ty.clone() });
        }
        let target_name = self.names.intern("matched");
        let target = self.fresh_var(target_name, span);
        let vars: Vec<VarId> = parameters.iter().map(|parameter| parameter.var).collect();
        let cases = ordered(&function.cases);
        let tests =
            cases.iter().map(|case| self.case(case, &vars, target, fragment, function.ty.as_ref())).collect();
        parameters.push(tree::Parameter { var: target, ty: None });
        let otherwise = self.no_case(function.name);
        let choice = Expr::new(span, ExprKind::Choice(tests, Box::new(otherwise)));
        let body = Expr::new(span, ExprKind::Lambda(parameters, Box::new(choice)));
        Binding { var: function.var, ty: function.ty.clone(), body }
    }

    fn case(
        &mut self,
        case: &Case,
        parameters: &[VarId],
        target: VarId,
        fragment: &Fragment,
        ty: Option<&Type>,
    ) -> Test {
        let here = |name: Symbol| fragment.functions.iter().find(|function| function.name.name == name);
        let functions = case.functions.iter().filter_map(|(name, var)| Some((*var, here(*name)?.var)));
        let vars = case.parameters.iter().copied().zip(parameters.iter().copied()).chain(functions);
        let type_vars = outermost(case.ty.as_ref()).into_iter().zip(outermost(ty)).collect();
        let mut copier = Copier::new(&mut self.program, vars, type_vars);
        let (mut pattern, mut then) = (case.pattern.clone(), case.body.clone());
        copier.pat(&mut pattern);
        copier.expr(&mut then);
        let scrutinee = Expr::new(pattern.span, ExprKind::Var(target));
        Test { scrutinee, pattern, then }
    }

    fn no_case(&self, name: Ident) -> Expr {
        let text = format!("no case of `{}` matches", self.text(name.name));
        let message = Expr::new(name.span, ExprKind::String(text.as_str().into()));
        let error = Expr::new(name.span, ExprKind::Builtin(Builtin::Error));
        Expr::new(name.span, ExprKind::Apply(Box::new(error), vec![message]))
    }
}

/// Returns the types that fragments define, with their numbers of parameters. The first of several types of one name counts.
pub(super) fn types(decls: &[ast::Decl]) -> FxHashMap<Symbol, usize> {
    let mut found = FxHashMap::default();
    for decl in decls {
        let ast::DeclKind::Lang(lang) = &decl.kind else { continue };
        for decl in &lang.decls {
            let (name, parameters) = match &decl.kind {
                LangDeclKind::Syn { name, parameters, .. } => (name, parameters),
                LangDeclKind::Type(TypeDecl { name, parameters, .. }) => (name, parameters),
                LangDeclKind::Sem { .. } | LangDeclKind::SemType { .. } => continue,
            };
            found.entry(name.name).or_insert(parameters.len());
        }
    }
    found
}

/// Returns the variables of a type's outermost `all`s.
fn outermost(mut ty: Option<&Type>) -> Vec<TypeVar> {
    let mut found = Vec::new();
    while let Some(Type::All(var, body)) = ty {
        found.push(*var);
        ty = Some(body);
    }
    found
}

/// Returns the fragment's function of this name; adds it if it is missing.
fn open_function(fragment: &mut Fragment, name: Ident) -> &mut OpenFunction {
    let place = fragment.functions.iter().position(|function| function.name == name);
    let place = place.unwrap_or_else(|| {
        let var = VarId(u32::MAX);
        fragment.functions.push(OpenFunction {
            name,
            var,
            ty: None,
            parameters: Vec::new(),
            cases: Vec::new(),
        });
        fragment.functions.len() - 1
    });
    &mut fragment.functions[place]
}

/// Sorts cases from special to general, and otherwise keeps their order.
fn ordered(cases: &[Rc<Case>]) -> Vec<Rc<Case>> {
    let mut left = cases.to_vec();
    let mut done = Vec::new();
    while !left.is_empty() {
        let more_general = |case: &Rc<Case>, other: &Rc<Case>| {
            covers(&case.written, &other.written) && !covers(&other.written, &case.written)
        };
        let next = left.iter().position(|case| !left.iter().any(|other| more_general(case, other)));
        done.push(left.remove(next.unwrap_or(0)));
    }
    done
}

/// Returns whether `general` certainly matches everything that `special` matches.
fn covers(general: &Pat, special: &Pat) -> bool {
    match (&general.kind, &special.kind) {
        (PatKind::Wildcard | PatKind::Name(_), _) => true,
        (_, PatKind::Or(left, right)) => covers(general, left) && covers(general, right),
        (PatKind::And(left, right), _) => covers(left, special) && covers(right, special),
        (_, PatKind::And(left, right)) => covers(general, left) || covers(general, right),
        (PatKind::Or(left, right), _) => covers(left, special) || covers(right, special),
        (PatKind::Construct(a, p), PatKind::Construct(b, q)) => a == b && covers(p, q),
        (PatKind::Tuple(p), PatKind::Tuple(q)) => {
            p.len() == q.len() && p.iter().zip(q).all(|(p, q)| covers(p, q))
        }
        (PatKind::Record(p), PatKind::Record(q)) => p.iter().all(|(label, p)| {
            matches!(p.kind, PatKind::Wildcard | PatKind::Name(_))
                || q.iter().any(|(other, q)| label == other && covers(p, q))
        }),
        (PatKind::Seq(p), PatKind::Seq(q)) => {
            let (p, q) = (row(p), row(q));
            p.len() == q.len() && p.iter().zip(&q).all(|(p, q)| covers(p, q))
        }
        (PatKind::Edge(first, _, last), PatKind::Seq(q)) => {
            let q = row(q);
            edges_cover(&row(first), &row(last), &q, &q) && row(first).len() + row(last).len() <= q.len()
        }
        (PatKind::Edge(p, _, q), PatKind::Edge(r, _, s)) => edges_cover(&row(p), &row(q), &row(r), &row(s)),
        (a, b) => a == b,
    }
}

/// Returns whether the patterns at both ends cover the other ends, which must have at least as many patterns.
fn edges_cover(first: &[Pat], last: &[Pat], other_first: &[Pat], other_last: &[Pat]) -> bool {
    first.len() <= other_first.len()
        && last.len() <= other_last.len()
        && first.iter().zip(other_first).all(|(p, q)| covers(p, q))
        && last.iter().rev().zip(other_last.iter().rev()).all(|(p, q)| covers(p, q))
}

/// Returns the patterns of the elements.
fn row(row: &SeqPat) -> Vec<Pat> {
    match row {
        SeqPat::List(items) => items.clone(),
        SeqPat::String(text) => {
            text.chars().map(|c| Pat { kind: PatKind::Char(c), span: Span::NONE }).collect()
        }
    }
}
