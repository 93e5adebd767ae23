//! The arguments and results of accelerated expressions.

use crate::accelerate::name::Entry;
use crate::check::types::{Node, Ty};
use crate::tree::{Binding, DeclKind, ExprKind};

use super::super::code::{Accelerated, Form};
use super::Compiler;

impl Compiler<'_> {
    /// Returns the accelerated expressions, by number. Needs: types that [`interface`](crate::accelerate::interface) allows.
    pub(super) fn accelerated(&mut self, entries: &[Entry]) -> Vec<Accelerated> {
        let checked = self.checked;
        let bindings: Vec<&Binding> = checked
            .program
            .decls
            .iter()
            .flat_map(|decl| match &decl.kind {
                DeclKind::Let(binding) => std::slice::from_ref(binding),
                DeclKind::Recursive(bindings) => bindings,
                DeclKind::External(..) | DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => &[],
            })
            .collect();
        let defined = |entry: &Entry| bindings.iter().find(|binding| binding.var == entry.var).copied();
        entries
            .iter()
            .map(|entry| match defined(entry).map(|binding| &binding.body.kind) {
                Some(ExprKind::Lambda(parameters, body)) => {
                    let parameter = |parameter: &crate::tree::Parameter| {
                        let index = parameter.var.0 as usize;
                        let name = checked.names.text(checked.program.vars[index].name);
                        (name.into(), checked.typing.vars[index])
                    };
                    let parameters: Vec<_> = parameters.iter().map(parameter).collect();
                    let form = |(name, ty)| (name, self.form(ty));
                    let parameters = parameters.into_iter().map(form).collect();
                    Accelerated { parameters, result: self.form(body.ty), span: entry.span }
                }
                _ => Accelerated { parameters: Vec::new(), result: Form::Unit, span: entry.span },
            })
            .collect()
    }

    /// Returns the form of a type; values without a form are not passed and have the form `Unit`.
    fn form(&mut self, ty: Ty) -> Form {
        self.form_of_data(ty).unwrap_or(Form::Unit)
    }

    /// Returns the form of a type; `None` for functions, types that are not abbreviations, and unknown types.
    fn form_of_data(&mut self, ty: Ty) -> Option<Form> {
        Some(match self.checked.typing.types.node(ty).clone() {
            Node::Int => Form::Int,
            Node::Float => Form::Float,
            Node::Char => Form::Char,
            Node::Bool => Form::Bool,
            Node::Record(fields) if fields.is_empty() => Form::Unit,
            Node::Record(fields) => {
                let forms = fields.iter().map(|(_, ty)| self.form_of_data(*ty)).collect::<Option<_>>()?;
                let shape = self.shape(fields.iter().map(|(label, _)| *label).collect());
                Form::Record(shape, forms)
            }
            Node::Seq(element) => Form::Seq(Box::new(self.form_of_data(element)?)),
            Node::Tensor(element) => Form::Tensor(Box::new(self.form_of_data(element)?)),
            Node::All(_, inner) => return self.form_of_data(inner),
            Node::Arrow(..) | Node::Named(..) | Node::Apply(..) | Node::Var(_) | Node::Meta(_) => {
                return None;
            }
        })
    }
}
