//! Expression acceleration: from a checked program to what its accelerated expressions need, checked and lowered.
//!
//! Reading order is the order of the pipeline: [`partial`], [`name`], [`lift`], [`interface`], [`prune`], [`extract`], [`nested`],
//! [`classify`], [`patterns`], [`merge`], [`wellformed`] (papers/000, section 4), and [`lower`] of both parts. [`variables`] and
//! [`order`] are what the passes share; [`text`] shows a program as it is after any of them. Every pass works on the same tree
//! as the sequential host, and what it leaves can be run.

pub mod variables;

pub mod order;

pub mod text;

pub mod partial;

pub mod name;

pub mod lift;

pub mod interface;

pub mod prune;

pub mod extract;

pub mod nested;

pub mod classify;

pub mod patterns;

pub mod merge;

pub mod wellformed;

pub mod lower;

use std::collections::BTreeSet;

use warpwise_diag::Failure;

use crate::compile::Checked;
use crate::tree::Decl;

use classify::Classes;
use name::Entry;

/// A program taken apart.
#[derive(Clone, Debug)]
pub struct Split {
    /// The lifted program; each accelerated expression is a function at the top.
    pub host: Checked,
    /// These functions.
    pub entries: Vec<Entry>,
    /// Which of them are functional, and which imperative.
    pub classes: Classes,
    /// The definitions that the functional ones need, themselves included.
    pub functional: Vec<Decl>,
    /// The definitions that the imperative ones need, themselves included.
    pub imperative: Vec<Decl>,
}

/// The values that accelerated expressions accept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Accepted {
    /// The most dimensions of a tensor.
    pub dimensions: usize,
    /// Whether the elements of a sequence may have different lengths.
    pub irregular: bool,
}

impl Default for Accepted {
    fn default() -> Accepted {
        Accepted { dimensions: 3, irregular: true }
    }
}

/// Takes a program apart and checks what it accelerates.
pub fn split(mut checked: Checked) -> Result<Split, Failure> {
    if checked.accelerates() {
        partial::write_out(&mut checked);
    }
    let entries = name::name(&mut checked);
    lift::lift(&mut checked, &entries);
    interface::check_interface(&checked, &entries)?;
    let all: BTreeSet<_> = entries.iter().map(|entry| entry.var).collect();
    let mut decls = checked.program.decls.clone();
    prune::prune(&mut decls);
    let (_, extracted) = extract::extract(&all, &decls);
    nested::check_nested(&entries, &extracted)?;
    let classes = classify::classify(&entries, &extracted)?;
    let (_, functional) = extract::extract(&classes.functional, &extracted);
    let (_, imperative) = extract::extract(&classes.imperative, &extracted);
    let functional = patterns::recognise(&mut checked, functional);
    let functional = merge::merge(&mut checked, functional);
    let imperative = merge::merge(&mut checked, imperative);
    wellformed::check(&checked, &functional, &imperative)?;
    Ok(Split { host: checked, entries, classes, functional, imperative })
}
