//! Checks that keep nothing but messages, and a bound on repeated checks.
//!
//! Parametric modules and module types are checked where they are written, with modules known only by their module types. Such a
//! check adds definitions to the program, which are removed again afterwards; only the messages remain.

use warpwise_diag::Span;

use crate::check::Checker;

/// Maximum number of specifications that are laid over modules in total, equal to some seconds of work. Few lines can demand very
/// many, by modules that contain two modules of one module type each, or by parametric modules that apply another one twice.
const MOST_WORK: u32 = 2 << 20;

impl<'a> Checker<'a> {
    /// Runs a check and undoes its effects, except for the messages.
    pub fn trial<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let env = self.env.clone();
        let before = self.program.lengths();
        let result = work(self);
        self.program.truncate(before);
        self.env = env;
        result
    }

    /// Counts work that a short program can repeat many times. Returns false once it exceeds the maximum; that is reported once.
    pub fn afford(&mut self, cost: u32, span: Span) -> bool {
        let before = self.module_work;
        self.module_work = before.saturating_add(cost);
        if before < MOST_WORK && self.module_work >= MOST_WORK {
            self.limit(span, "modules and module types with this many parts");
        }
        self.module_work < MOST_WORK
    }
}
