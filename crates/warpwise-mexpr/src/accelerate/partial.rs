//! Eta expansion: partial applications become functions with all their parameters.
//!
//! ```text
//! let f = compose (g 3) (h x)
//! ```
//! becomes, if `compose`, `g` and `h` are known and `compose` takes one more argument,
//! ```text
//! let b = lam y. g 3 y
//! let c = lam y. h x y
//! let f = lam y. compose b c y
//! ```
//! The same holds for built-ins: `let f = map2 g` becomes `let f = lam s. lam t. map2 g s t`.
//! So these functions are known by name in accelerated code ([`super::lift`]). Arguments are computed in the same place, once and
//! in order. Functions that return functions are not inspected: the returned function is known only when the program runs. The
//! meaning of the program does not change.

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;
use crate::check::types::Node;
use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, VarId};

/// Expands the definitions of a program that apply a function to some of its arguments.
pub fn write_out(checked: &mut Checked) {
    let decls = std::mem::take(&mut checked.program.decls);
    let mut main = checked.program.main.take();
    let mut writer = Writer { checked, n_parameters: FxHashMap::default() };
    let decls = writer.decls(decls);
    main.iter_mut().for_each(|main| writer.expr(main));
    (checked.program.decls, checked.program.main) = (decls, main);
}

struct Writer<'a> {
    checked: &'a mut Checked,
    /// Number of parameters of each function that is known by name.
    n_parameters: FxHashMap<VarId, usize>,
}

impl Writer<'_> {
    fn decls(&mut self, decls: Vec<Decl>) -> Vec<Decl> {
        let mut new = Vec::new();
        for mut decl in decls {
            self.note(&decl);
            decl.children_mut().into_iter().for_each(|expr| self.expr(expr));
            self.decl(decl, &mut new);
        }
        new
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Block(decls, result) = &mut expr.kind {
            *decls = self.decls(std::mem::take(decls));
            return self.expr(result);
        }
        expr.children_mut().into_iter().for_each(|child| self.expr(child));
    }

    fn note(&mut self, decl: &Decl) {
        let bindings = match &decl.kind {
            DeclKind::Let(binding) => std::slice::from_ref(binding),
            DeclKind::Recursive(bindings) => bindings,
            DeclKind::External(var, _, builtin) => {
                self.n_parameters.insert(*var, builtin.parameters());
                return;
            }
            DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => return,
        };
        for binding in bindings {
            if let ExprKind::Lambda(parameters, _) = &binding.body.kind {
                self.n_parameters.insert(binding.var, parameters.len());
            }
        }
    }

    /// Adds a definition, after those of its arguments.
    fn decl(&mut self, mut decl: Decl, new: &mut Vec<Decl>) {
        if let DeclKind::Let(binding) = &mut decl.kind
            && let Some(missing) = self.missing(&binding.body)
        {
            self.complete(&mut binding.body, missing, new);
            self.n_parameters.insert(binding.var, missing);
        }
        new.push(decl);
    }

    /// Returns the number of arguments that an application of a known function lacks.
    fn missing(&self, expr: &Expr) -> Option<usize> {
        let ExprKind::Apply(function, arguments) = &expr.kind else { return None };
        let n_parameters = match function.kind {
            ExprKind::Var(var) | ExprKind::Frozen(var) => *self.n_parameters.get(&var)?,
            // Text of the array language has the parameters that its use gives it.
            ExprKind::Builtin(Builtin::InlineFuthark) => return None,
            ExprKind::Builtin(builtin) => builtin.parameters(),
            _ => return None,
        };
        n_parameters.checked_sub(arguments.len()).filter(|&missing| missing > 0)
    }

    /// Makes a function of an application that lacks `missing` arguments.
    fn complete(&mut self, expr: &mut Expr, missing: usize, new: &mut Vec<Decl>) {
        let (span, ty) = (expr.span, expr.ty);
        let ExprKind::Apply(function, mut arguments) = std::mem::replace(&mut expr.kind, ExprKind::Never)
        else {
            return;
        };
        arguments.iter_mut().for_each(|argument| self.name(argument, new));
        let mut parameters = Vec::new();
        let mut result = ty;
        for _ in 0..missing {
            let Node::Arrow(from, to) = *self.checked.typing.types.node(result) else { break };
            let var = self.checked.fresh("argument", span, from);
            parameters.push(Parameter { var, ty: None });
            arguments.push(Expr { kind: ExprKind::Var(var), span, ty: from });
            result = to;
        }
        let body = Expr { kind: ExprKind::Apply(function, arguments), span, ty: result };
        expr.kind = ExprKind::Lambda(parameters, Box::new(body));
    }

    /// Binds an argument to a variable, unless it is a name or a constant.
    fn name(&mut self, argument: &mut Expr, new: &mut Vec<Decl>) {
        let is_atom = matches!(
            argument.kind,
            ExprKind::Var(_)
                | ExprKind::Frozen(_)
                | ExprKind::Builtin(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Char(_)
                | ExprKind::Bool(_)
        );
        if is_atom {
            return;
        }
        let (span, ty) = (argument.span, argument.ty);
        let var = self.checked.fresh("argument", span, ty);
        let body = std::mem::replace(argument, Expr { kind: ExprKind::Var(var), span, ty });
        let decl = Decl { kind: DeclKind::Let(Binding { var, ty: None, body }), span };
        self.note(&decl);
        self.decl(decl, new);
    }
}
