//! Expression acceleration: from a checked program to the definitions that its accelerated expressions need, checked and lowered.
//!
//! The reading order is the order of the pipeline: [`partial`], [`name`], [`lift`], [`interface`], [`prune`], [`extract`],
//! [`nested`], [`classify`], [`patterns`], [`merge`], [`wellformed`] (papers/000, section 4), and [`lower`] for both parts. The
//! passes share [`variables`] and [`order`]; [`text`] shows a program as it is after any pass. Every pass works on the same tree
//! as the sequential host, and its result can be run.

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

/// A program, split into its host and accelerated parts.
#[derive(Clone, Debug)]
pub struct Split {
    /// The lifted program; each accelerated expression is a function at the top.
    pub host: Checked,
    /// The functions of the accelerated expressions.
    pub entries: Vec<Entry>,
    /// The class of each entry: functional or imperative.
    pub classes: Classes,
    /// The functional entries, with the definitions that they need.
    pub functional: Vec<Decl>,
    /// The imperative entries, with the definitions that they need.
    pub imperative: Vec<Decl>,
}

/// The values that accelerated expressions accept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Accepted {
    /// Maximum number of dimensions of a tensor.
    pub dimensions: usize,
    /// Whether the elements of a sequence may have different lengths.
    pub irregular: bool,
}

impl Default for Accepted {
    fn default() -> Accepted {
        Accepted { dimensions: 3, irregular: true }
    }
}

/// Splits a program and checks its accelerated expressions.
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
