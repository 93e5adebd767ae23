//! General types: from the free types of a value to `all`, and back at each use.

use crate::tree::{TypeVar, VarId};

use super::Checker;
use super::types::{MetaId, Node, Open, Ty, Types};

impl Checker<'_> {
    /// Returns the type of one use of something whose type may be general.
    pub(super) fn instance(&mut self, mut ty: Ty) -> Ty {
        let mut with = Vec::new();
        while let Node::All(var, body) = *self.typing.types.node(ty) {
            with.push((var, self.fresh()));
            ty = body;
        }
        if with.is_empty() { ty } else { self.types().substitute(ty, &with) }
    }

    /// Returns the type under the outermost `all`s; their variables belong to the current level from here on.
    pub(super) fn opened(&mut self, mut ty: Ty) -> Ty {
        let level = self.level;
        while let Node::All(var, body) = *self.typing.types.node(ty) {
            self.types().set_var_level(var, level);
            ty = body;
        }
        ty
    }

    /// Gives a variable its most general type: free metas become type variables.
    pub(super) fn generalise(&mut self, var: VarId, ty: Ty) {
        self.generalise_all(&[(var, ty)]);
    }

    /// Does the same for variables that are bound together: a meta that is free in several types may differ in each.
    pub(super) fn generalise_all(&mut self, bound: &[(VarId, Ty)]) {
        bound.iter().for_each(|(_, ty)| self.settle_records(*ty));
        let free: Vec<Vec<MetaId>> = bound
            .iter()
            .map(|(_, ty)| {
                let mut free = Vec::new();
                collect(&self.typing.types, *ty, self.level, &mut free);
                free
            })
            .collect();
        let mut made: Vec<(MetaId, TypeVar)> = Vec::new();
        for ((var, ty), free) in bound.iter().zip(free) {
            let mut quantified = Vec::new();
            for (index, meta) in free.into_iter().enumerate() {
                let known = made.iter().find(|(other, _)| *other == meta).map(|(_, var)| *var);
                let type_var = known.unwrap_or_else(|| self.type_variable(index, meta));
                made.push((meta, type_var));
                quantified.push(type_var);
            }
            let ty = quantified.into_iter().rev().fold(*ty, |ty, var| self.types().add(Node::All(var, ty)));
            self.typing.vars[var.0 as usize] = ty;
        }
    }

    /// Makes a type variable of a free meta.
    fn type_variable(&mut self, index: usize, meta: MetaId) -> TypeVar {
        let name = self.names.intern(&variable_name(index));
        self.program.type_vars.push(name);
        let type_var = TypeVar(self.program.type_vars.len() as u32 - 1);
        let solution = self.types().add(Node::Var(type_var));
        self.types().solve(meta, solution);
        type_var
    }

    /// Keeps unresolved records, and the types of their fields, from becoming general.
    fn settle_records(&mut self, ty: Ty) {
        let mut free = Vec::new();
        collect(&self.typing.types, ty, self.level, &mut free);
        for meta in free {
            let open = self.types().open(meta).clone();
            if let Some(fields) = &open.fields {
                fields.iter().for_each(|(_, ty)| self.settle(*ty));
                let level = self.level;
                self.types().reopen(meta, Open { level, ..open });
            }
        }
    }

    /// Lowers the free metas of a type to the current level, so that they do not become general at this level.
    pub(super) fn settle(&mut self, ty: Ty) {
        let mut free = Vec::new();
        collect(&self.typing.types, ty, self.level, &mut free);
        for meta in free {
            let open = self.types().open(meta).clone();
            let level = self.level;
            self.types().reopen(meta, Open { level, ..open });
        }
    }
}

/// Collects the open metas above `level` in a type, in order, each once.
fn collect(types: &Types, ty: Ty, level: u32, found: &mut Vec<MetaId>) {
    if let Node::Meta(meta) = types.node(ty)
        && types.open(*meta).level > level
        && !found.contains(meta)
    {
        found.push(*meta);
    }
    types.parts(ty).into_iter().for_each(|part| collect(types, part, level, found));
}

/// Returns the name of a type variable: a, b, ..., z, a1, b1, ...
fn variable_name(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
