//! Checking something only for its errors, and how much may be checked repeatedly.
//!
//! Parametric modules and module types are checked where they are written, with modules that have their module types and nothing else. What
//! that adds to the program is taken out again; only messages remain.

use warpwise_diag::Span;

use crate::check::Checker;

/// How many specifications may be laid over modules in all: some seconds of work. Few lines can make very many of them, by module
/// types of modules that have the same module type twice, or parametric modules that apply another one twice.
const MOST_WORK: u32 = 2 << 20;

impl<'a> Checker<'a> {
    /// Does something, and forgets all of it but the messages.
    pub fn trial<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let env = self.env.clone();
        let before = self.program.lengths();
        let result = work(self);
        self.program.truncate(before);
        self.env = env;
        result
    }

    /// Counts work that a short program can ask for many times. False if that becomes too much, which is reported once.
    pub fn afford(&mut self, cost: u32, span: Span) -> bool {
        let before = self.module_work;
        self.module_work = before.saturating_add(cost);
        if before < MOST_WORK && self.module_work >= MOST_WORK {
            self.limit(span, "modules and module types that come to so many parts");
        }
        self.module_work < MOST_WORK
    }
}
