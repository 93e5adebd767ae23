//! Checking something only for its errors.
//!
//! Parametric modules and module types are checked where they are written, with modules of which no more is known than their module types. What
//! that adds to the program is taken out again; only messages remain.

use crate::check::Checker;
use crate::typed::tree::Program;

impl<'a> Checker<'a> {
    /// Does something, and forgets all of it but the messages.
    pub fn trial<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let env = self.env.clone();
        let Program { defs, locals, type_params, abstracts, entries } = &self.program;
        let before = [defs.len(), locals.len(), type_params.len(), abstracts.len(), entries.len()];
        let result = work(self);
        let [n_defs, n_locals, n_type_params, n_abstracts, n_entries] = before;
        let Program { defs, locals, type_params, abstracts, entries } = &mut self.program;
        defs.truncate(n_defs);
        locals.truncate(n_locals);
        type_params.truncate(n_type_params);
        abstracts.truncate(n_abstracts);
        entries.truncate(n_entries);
        self.env = env;
        result
    }
}
