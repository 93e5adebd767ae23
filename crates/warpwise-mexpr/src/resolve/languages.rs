//! Language fragments.
//!
//! A fragment without definitions of its own or of its parents is supported; any other is an error that says so.

use warpwise_diag::{Diagnostic, Span};

use crate::syntax::ast::{Ident, Lang};

use super::Resolver;

/// A language fragment.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    /// Where it is defined.
    span: Span,
}

impl Resolver<'_> {
    pub(super) fn language(&mut self, lang: &Lang) {
        for parent in &lang.parents {
            self.fragment(*parent);
        }
        if let Some(decl) = lang.decls.first() {
            let message = "language fragments with definitions are not supported";
            self.error(Diagnostic::error("M0112", decl.span, message));
        }
        self.fragments.insert(lang.name.name, Fragment { span: lang.name.span });
    }

    /// Brings what a fragment defines into scope.
    pub(super) fn open_fragment(&mut self, name: Ident) {
        self.fragment(name);
    }

    fn fragment(&mut self, name: Ident) -> Option<Span> {
        let found = self.fragments.get(&name.name).map(|fragment| fragment.span);
        if found.is_none() {
            let message = format!("there is no language fragment `{}` here", self.text(name.name));
            self.error(Diagnostic::error("M0213", name.span, message));
        }
        found
    }
}
