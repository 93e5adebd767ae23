//! Merging of functions that tail-call each other into one function that tail-calls itself.
//!
//! ```text
//! recursive
//!   let even = lam x. if eqi x 0 then true else odd (subi x 1)
//!   let odd = lam y. if eqi y 0 then false else even (subi y 1)
//! end
//! ```
//! becomes
//! ```text
//! recursive let even_odd = lam which. lam x.
//!   switch which case 0 then if eqi x 0 then true else even_odd 1 (subi x 1)
//!   case _ then if eqi x 0 then false else even_odd 0 (subi x 1) end
//! let even = lam x. even_odd 0 x
//! let odd = lam x. even_odd 1 x
//! ```
//! which lowering turns into a loop. Parameters of one type share a place. A place without a parameter in the running function
//! keeps its value; its initial value is 0, `false` or the empty sequence. A group stays as it is if a call is not a tail call,
//! if types have variables, or if the type of a place that not all functions fill has no such initial value. Needs: an extracted
//! part.

use warpwise_diag::Span;

use crate::check::types::{Node, Ty, Types};
use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, Pat, PatKind, Test, VarId};

use super::variables::{free, rename};

/// Merges groups of functions that tail-call each other.
pub fn merge(checked: &mut Checked, decls: Vec<Decl>) -> Vec<Decl> {
    let mut found = Vec::new();
    for decl in decls {
        match &decl.kind {
            DeclKind::Recursive(bindings) if bindings.len() > 1 => match merged(checked, bindings, decl.span)
            {
                Some(new) => found.extend(new),
                None => found.push(decl),
            },
            DeclKind::Recursive(_)
            | DeclKind::Let(_)
            | DeclKind::External(..)
            | DeclKind::Utest(_)
            | DeclKind::Do(_)
            | DeclKind::Match(..) => found.push(decl),
        }
    }
    found
}

/// Returns whether a function calls itself, and others of its group, only with all arguments and in tail position. A group
/// consists of functions with their numbers of parameters.
pub fn calls_last(group: &[(VarId, usize)], body: &Expr) -> bool {
    match &body.kind {
        ExprKind::Lambda(_, inner) => last(group, inner),
        _ => false,
    }
}

/// Returns whether a recursive function that calls no other of its group is a loop.
pub fn is_loop(binding: &Binding) -> bool {
    let n_parameters = match &binding.body.kind {
        ExprKind::Lambda(parameters, _) => parameters.len(),
        _ => 0,
    };
    calls_last(&[(binding.var, n_parameters)], &binding.body)
}

fn last(group: &[(VarId, usize)], expr: &Expr) -> bool {
    let uses = |expr: &Expr| group.iter().any(|(var, _)| free(expr).contains(var));
    match &expr.kind {
        ExprKind::Apply(function, arguments) if called(group, function).is_some() => {
            let n_parameters = called(group, function).map_or(0, |index| group[index].1);
            arguments.len() == n_parameters && !arguments.iter().any(uses)
        }
        ExprKind::Choice(tests, otherwise) => {
            tests.iter().all(|test| !uses(&test.scrutinee) && last(group, &test.then))
                && last(group, otherwise)
        }
        ExprKind::Block(_, result) => {
            let children = expr.children();
            !children[..children.len() - 1].iter().any(|child| uses(child)) && last(group, result)
        }
        _ => !uses(expr),
    }
}

/// Returns the index in the group of the called function.
fn called(group: &[(VarId, usize)], function: &Expr) -> Option<usize> {
    match function.kind {
        ExprKind::Var(var) => group.iter().position(|(other, _)| *other == var),
        _ => None,
    }
}

/// A group of functions that can be merged.
struct Group<'a> {
    bindings: &'a [Binding],
    /// Parameters and body of each function.
    functions: Vec<(&'a [Parameter], &'a Expr)>,
    /// For each function the place of each of its parameters.
    places: Vec<Vec<usize>>,
    /// Types of all places.
    types: Vec<Ty>,
}

fn merged(checked: &mut Checked, bindings: &[Binding], span: Span) -> Option<Vec<Decl>> {
    let group = Group::of(checked, bindings)?;
    let starts = group.starts(checked, span)?;
    let names = bindings.iter().map(|binding| {
        let name = checked.program.vars[binding.var.0 as usize].name;
        checked.names.text(name).to_string()
    });
    let name = names.collect::<Vec<_>>().join("_");
    let result = group.functions[0].1.ty;
    let mut ty = result;
    for place in group.types.iter().rev() {
        ty = checked.typing.types.arrow(*place, ty);
    }
    ty = checked.typing.types.arrow(Types::INT, ty);
    let all = Merged { var: checked.fresh(&name, span, ty), ty, result };
    let mut decls = vec![group.recursion(checked, &all, span)];
    for (index, binding) in bindings.iter().enumerate() {
        decls.push(group.start(checked, &all, (index, binding), &starts));
    }
    Some(decls)
}

/// The merged function of a group.
struct Merged {
    var: VarId,
    ty: Ty,
    result: Ty,
}

impl Merged {
    /// Returns a call that runs the function `index` of the group.
    fn call(&self, index: usize, arguments: Vec<Expr>, span: Span) -> Expr {
        let function = Expr { kind: ExprKind::Var(self.var), span, ty: self.ty };
        let which = Expr { kind: ExprKind::Int(index as i64), span, ty: Types::INT };
        let arguments = std::iter::once(which).chain(arguments).collect();
        Expr { kind: ExprKind::Apply(Box::new(function), arguments), span, ty: self.result }
    }
}

impl<'a> Group<'a> {
    fn of(checked: &Checked, bindings: &'a [Binding]) -> Option<Group<'a>> {
        let types = &checked.typing.types;
        let mut functions = Vec::new();
        for binding in bindings {
            let ExprKind::Lambda(parameters, body) = &binding.body.kind else { return None };
            functions.push((parameters.as_slice(), &**body));
        }
        let names: Vec<(VarId, usize)> = bindings
            .iter()
            .zip(&functions)
            .map(|(binding, (parameters, _))| (binding.var, parameters.len()))
            .collect();
        let result = functions[0].1.ty;
        let fits = |(binding, (_, body)): (&Binding, &(&[Parameter], &Expr))| {
            let ty = checked.typing.vars[binding.var.0 as usize];
            !matches!(types.node(ty), Node::All(..)) && same(types, body.ty, result) && last(&names, body)
        };
        if !bindings.iter().zip(&functions).all(fits) {
            return None;
        }
        let mut group = Group { bindings, functions, places: Vec::new(), types: Vec::new() };
        for (parameters, _) in group.functions.clone() {
            let mut taken: Vec<usize> = Vec::new();
            for parameter in parameters {
                let ty = checked.typing.vars[parameter.var.0 as usize];
                let is_free = |place: &usize| !taken.contains(place) && same(types, group.types[*place], ty);
                let place = (0..group.types.len()).find(is_free).unwrap_or(group.types.len());
                if place == group.types.len() {
                    group.types.push(ty);
                }
                taken.push(place);
            }
            group.places.push(taken);
        }
        Some(group)
    }

    /// Returns the initial values of the places that not all functions fill. Returns `None` if the type of such a place has no
    /// initial value.
    fn starts(&self, checked: &Checked, span: Span) -> Option<Vec<Option<Expr>>> {
        let starts = self.types.iter().enumerate().map(|(place, ty)| {
            let is_filled = self.places.iter().all(|places| places.contains(&place));
            if is_filled { Some(None) } else { blank(checked, *ty, span).map(Some) }
        });
        starts.collect()
    }

    /// Makes the merged function, which does the work of all functions of the group.
    fn recursion(&self, checked: &mut Checked, all: &Merged, span: Span) -> Decl {
        let which = checked.fresh("which", span, Types::INT);
        let places: Vec<VarId> = self.types.iter().map(|ty| checked.fresh("x", span, *ty)).collect();
        self.name_places(checked, &places);
        let mut bodies: Vec<Expr> = Vec::new();
        for ((parameters, body), own) in self.functions.iter().zip(&self.places) {
            let mut body = (*body).clone();
            let from: Vec<VarId> = parameters.iter().map(|parameter| parameter.var).collect();
            let to: Vec<VarId> = own.iter().map(|place| places[*place]).collect();
            rename(&mut body, &from, &to);
            self.redirect(&mut body, all, &places);
            bodies.push(body);
        }
        let otherwise = bodies.pop().unwrap_or_else(|| Expr::unit(span));
        let tests = bodies.into_iter().enumerate().map(|(index, then)| {
            let scrutinee = Expr { kind: ExprKind::Var(which), span, ty: Types::INT };
            let pattern = Pat { kind: PatKind::Int(index as i64), span, ty: Types::INT };
            Test { scrutinee, pattern, then }
        });
        let kind = ExprKind::Choice(tests.collect(), Box::new(otherwise));
        let body = Expr { kind, span, ty: all.result };
        let parameters =
            std::iter::once(which).chain(places).map(|var| Parameter { var, ty: None }).collect();
        let lambda = Expr { kind: ExprKind::Lambda(parameters, Box::new(body)), span, ty: all.ty };
        let binding = Binding { var: all.var, ty: None, body: lambda };
        Decl { kind: DeclKind::Recursive(vec![binding]), span }
    }

    /// Names each place after the first parameter in it.
    fn name_places(&self, checked: &mut Checked, places: &[VarId]) {
        for ((parameters, _), own) in self.functions.iter().zip(&self.places).rev() {
            for (parameter, place) in parameters.iter().zip(own) {
                checked.program.vars[places[*place].0 as usize] =
                    checked.program.vars[parameter.var.0 as usize];
            }
        }
    }

    /// Turns calls within the group into calls of the merged function.
    fn redirect(&self, expr: &mut Expr, all: &Merged, places: &[VarId]) {
        let group: Vec<(VarId, usize)> = self.bindings.iter().map(|binding| (binding.var, 0)).collect();
        if let ExprKind::Apply(function, arguments) = &mut expr.kind
            && let Some(index) = called(&group, function)
        {
            let mut given: Vec<Option<Expr>> = vec![None; places.len()];
            for (place, argument) in self.places[index].iter().zip(std::mem::take(arguments)) {
                given[*place] = Some(argument);
            }
            let span = expr.span;
            let stays =
                |place: usize| Expr { kind: ExprKind::Var(places[place]), span, ty: self.types[place] };
            let given = given.into_iter().enumerate();
            let given = given.map(|(place, argument)| argument.unwrap_or_else(|| stays(place)));
            *expr = all.call(index, given.collect(), span);
            return;
        }
        expr.children_mut().into_iter().for_each(|child| self.redirect(child, all, places));
    }

    /// Makes a function of the group that starts the merged function.
    fn start(
        &self,
        checked: &mut Checked,
        all: &Merged,
        (index, binding): (usize, &Binding),
        starts: &[Option<Expr>],
    ) -> Decl {
        let span = binding.body.span;
        let mut given = starts.to_vec();
        let mut parameters = Vec::new();
        for (parameter, place) in self.functions[index].0.iter().zip(&self.places[index]) {
            let name = checked.program.vars[parameter.var.0 as usize];
            let text = checked.names.text(name.name).to_string();
            let ty = checked.typing.vars[parameter.var.0 as usize];
            let var = checked.fresh(&text, name.span, ty);
            given[*place] = Some(Expr { kind: ExprKind::Var(var), span, ty });
            parameters.push(Parameter { var, ty: None });
        }
        let body = all.call(index, given.into_iter().flatten().collect(), span);
        let kind = ExprKind::Lambda(parameters, Box::new(body));
        let body = Expr { kind, span, ty: binding.body.ty };
        let binding = Binding { var: binding.var, ty: binding.ty.clone(), body };
        Decl { kind: DeclKind::Let(binding), span }
    }
}

/// Returns some value of a type, if there is a literal of it.
fn blank(checked: &Checked, ty: Ty, span: Span) -> Option<Expr> {
    let kind = match checked.typing.types.node(ty) {
        Node::Int => ExprKind::Int(0),
        Node::Float => ExprKind::Float(0.0),
        Node::Bool => ExprKind::Bool(false),
        Node::Char => ExprKind::Char(' '),
        Node::Seq(_) => ExprKind::Seq(Vec::new()),
        Node::Record(fields) => {
            let fields = fields.iter().map(|(label, ty)| Some((*label, blank(checked, *ty, span)?)));
            ExprKind::Record(fields.collect::<Option<_>>()?)
        }
        Node::Tensor(_)
        | Node::Var(_)
        | Node::Named(..)
        | Node::Apply(..)
        | Node::Arrow(..)
        | Node::All(..)
        | Node::Meta(_) => {
            return None;
        }
    };
    Some(Expr { kind, span, ty })
}

/// Returns whether two types are the same, without type variables.
fn same(types: &Types, a: Ty, b: Ty) -> bool {
    match (types.node(a), types.node(b)) {
        (Node::Int, Node::Int)
        | (Node::Float, Node::Float)
        | (Node::Bool, Node::Bool)
        | (Node::Char, Node::Char) => true,
        (Node::Seq(a), Node::Seq(b)) | (Node::Tensor(a), Node::Tensor(b)) => same(types, *a, *b),
        (Node::Arrow(a, b), Node::Arrow(c, d)) => same(types, *a, *c) && same(types, *b, *d),
        (Node::Record(a), Node::Record(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0 == b.0 && same(types, a.1, b.1))
        }
        _ => false,
    }
}
