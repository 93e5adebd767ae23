//! Uniqueness check: a consumed value is not used again.
//!
//! Runs on finished definitions (papers/001 §3). The value of every expression has [`Aliases`]: for each part that is not a
//! scalar, the set of *owners* whose memory it may share. A parameter becomes an owner when it is bound to a name, and so does a
//! value that shares nothing. Consuming a value consumes its owners. Using a name whose owners are consumed is an error. Read in
//! this order: [`aliases`], [`exprs`], [`calls`], [`loops`], [`functions`].
//!
//! This phase also infers which parts of unannotated results are unique, and which loop parameters are consumed.
//!
//! Rules:
//!
//! - arguments are evaluated last to first;
//! - a result that is not unique shares memory with all arguments that are not consumed, and with the values that its function
//!   captured;
//! - an array taken out of an array shares memory with it;
//! - literals, updates and unique results share nothing;
//! - a lambda, a local function or a loop consumes nothing from outside;
//! - a unique result shares nothing with parameters that are not consumed, with constants, or with other parts of the result.

pub mod aliases;
mod calls;
mod exprs;
mod functions;
mod loops;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::consume::aliases::{Aliases, Owner, OwnerId, Permission};
use crate::typed::ids::{DefId, LocalId};
use crate::typed::tree::Def;
use crate::typed::ty::Uniqueness;

/// State of the check of one definition.
pub struct Consumption<'c> {
    /// Errors found so far.
    pub errors: Vec<Diagnostic>,
    /// Returns the quoted name of a local.
    name_of: &'c dyn Fn(LocalId) -> String,
    /// Returns the quoted name of a definition.
    name_of_def: &'c dyn Fn(DefId) -> String,
    /// Uses of owners in the enclosing loops: owner, name used, and source position.
    observed: Vec<(OwnerId, String, Span)>,
    /// Number of enclosing loops.
    loops: u32,
    /// All owners.
    owners: Vec<Owner>,
    /// Source position of each owner's consumption, by owner.
    consumed: Vec<Option<Span>>,
    /// Owners in the order of their consumption, so that consumptions can be undone.
    log: Vec<OwnerId>,
    /// Aliases of locals.
    bindings: FxHashMap<LocalId, Aliases>,
    /// Unique parts of the results of local functions without annotation.
    results: FxHashMap<LocalId, Uniqueness>,
    /// Owners that stand for constants.
    constants: FxHashMap<DefId, OwnerId>,
    /// Owners with a smaller id are outside of the innermost function or loop.
    barrier: u32,
    /// Kind and source position of the innermost function or loop, which consumes nothing from outside.
    inside: (&'static str, Span),
}

impl Checker<'_> {
    /// Checks a finished definition, and records the uniqueness of its result if it was not annotated.
    pub fn check_consumption(&mut self, def: &mut Def, annotated: bool) {
        let name_of = |local: LocalId| format!("`{}`", self.show_local(local));
        let name_of_def = |def: DefId| match self.program.defs.get(def.index()) {
            Some(def) => format!("`{}`", def.name),
            None => "this function".to_string(),
        };
        let mut state = Consumption {
            errors: Vec::new(),
            name_of: &name_of,
            name_of_def: &name_of_def,
            observed: Vec::new(),
            loops: 0,
            owners: Vec::new(),
            consumed: Vec::new(),
            log: Vec::new(),
            bindings: FxHashMap::default(),
            results: FxHashMap::default(),
            constants: FxHashMap::default(),
            barrier: 0,
            inside: ("", Span::NONE),
        };
        state.definition(def, annotated);
        let errors = std::mem::take(&mut state.errors);
        errors.into_iter().for_each(|error| self.report(error));
    }
}

impl Consumption<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: String) -> &mut Diagnostic {
        self.errors.push(Diagnostic::error(code, span, message));
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    fn new_owner(&mut self, name: String, span: Span, permission: Permission) -> OwnerId {
        self.owners.push(Owner { name, span, permission });
        self.consumed.push(None);
        OwnerId(self.owners.len() as u32 - 1)
    }

    /// Returns the owner that stands for a constant.
    fn constant_owner(&mut self, def: DefId) -> OwnerId {
        if let Some(&owner) = self.constants.get(&def) {
            return owner;
        }
        let owner = self.new_owner((self.name_of_def)(def), Span::NONE, Permission::Constant);
        self.constants.insert(def, owner);
        owner
    }

    /// Reports an error if any owner of a used value was consumed.
    fn observe(&mut self, aliases: &Aliases, what: &str, span: Span) {
        let mut owners = Vec::new();
        aliases.collect(&mut owners);
        if self.loops > 0 {
            self.observed.extend(owners.iter().map(|&owner| (owner, what.to_string(), span)));
        }
        let hit = owners.into_iter().find_map(|owner| Some((owner, self.consumed[owner.index()]?)));
        let Some((owner, place)) = hit else { return };
        let name = self.owners[owner.index()].name.clone();
        let message = match name == what {
            true => format!("{what} is used after it was consumed"),
            false => format!("{what} is used after {name}, with which it shares memory, was consumed"),
        };
        let error = self.error("E0401", span, message);
        let labelled = error.clone().at("used here").label(place, "consumed here");
        *error = labelled.hint("use a copy: `copy x`");
    }

    /// Consumes a value, or reports why it may not be consumed.
    fn consume(&mut self, aliases: &Aliases, span: Span) {
        let mut owners = Vec::new();
        aliases.collect(&mut owners);
        for owner in owners {
            let Owner { name, span: bound, permission } = self.owners[owner.index()].clone();
            let (what, inside) = self.inside;
            let complaint = match permission {
                Permission::Constant => Some((
                    "E0402",
                    format!("consuming variable {name}, which is not consumable: it is a constant"),
                )),
                Permission::Borrowed => Some((
                    "E0402",
                    format!(
                        "consuming variable {name}, which is not consumable: it is only lent to this {}",
                        if what == "loop" { what } else { "function" }
                    ),
                )),
                Permission::Owned if owner.0 < self.barrier => Some((
                    "E0405",
                    format!(
                        "consuming variable {name}, which is not consumable here: it comes from outside of this {what}"
                    ),
                )),
                Permission::Owned => None,
            };
            if let Some((code, message)) = complaint {
                let error = self.error(code, span, message);
                let mut labelled = error.clone();
                if !bound.is_none() {
                    labelled = labelled.label(bound, "bound here");
                }
                *error = match permission {
                    Permission::Borrowed => labelled
                        .hint("declare the parameter with a star, as in `(xs: *[n]t)`, or consume a copy"),
                    Permission::Owned => {
                        labelled.label(inside, "which may run several times").hint("consume a copy")
                    }
                    Permission::Constant => labelled.hint("consume a copy"),
                };
                return;
            }
            // An owner that is consumed already was reported where it was used.
        }
        self.mark(aliases, span);
    }

    /// Reports an error if a value was consumed by an expression evaluated after it.
    fn still_there(&mut self, aliases: &Aliases, span: Span) {
        let mut owners = Vec::new();
        aliases.collect(&mut owners);
        let hit = owners.into_iter().find_map(|owner| Some((owner, self.consumed[owner.index()]?)));
        let Some((owner, place)) = hit else { return };
        let is_known = |error: &Diagnostic| {
            error.code == "E0401" && error.span.start >= span.start && error.span.end <= span.end
        };
        if self.errors.iter().any(is_known) {
            return;
        }
        let name = self.owners[owner.index()].name.clone();
        let message = format!("this shares memory with {name}, which is consumed before this is used");
        let error = self.error("E0401", span, message);
        *error = error.clone().label(place, "consumed here").hint("use a copy: `copy x`");
    }

    /// Marks the owners of a value as consumed.
    fn mark(&mut self, aliases: &Aliases, span: Span) {
        let mut owners = Vec::new();
        aliases.collect(&mut owners);
        for owner in owners {
            if self.consumed[owner.index()].is_none() {
                self.consumed[owner.index()] = Some(span);
                self.log.push(owner);
            }
        }
    }

    /// Undoes the consumptions since the position `mark` of the log, and returns them.
    fn undo(&mut self, mark: usize) -> Vec<(OwnerId, Span)> {
        let undone = self.log.split_off(mark);
        undone.into_iter().filter_map(|owner| Some((owner, self.consumed[owner.index()].take()?))).collect()
    }

    /// Repeats consumptions that were undone.
    fn redo(&mut self, consumptions: Vec<(OwnerId, Span)>) {
        for (owner, span) in consumptions {
            if self.consumed[owner.index()].is_none() {
                self.consumed[owner.index()] = Some(span);
                self.log.push(owner);
            }
        }
    }
}
