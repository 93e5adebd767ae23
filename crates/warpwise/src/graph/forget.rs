//! Finds the scalar handles that alone keep a host array alive.
//!
//! A handle is a number, so the drop of its last copy cannot be observed. But if a program holds neither the array that a scalar
//! reads nor a computation that takes the scalar, only the handle keeps the array's memory, and the handle is hardly ever used
//! again. References are counted as in a cycle collector: a node with more references than those from the table and from nodes
//! found there belongs to a computation that the program holds, and so does everything below it.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use warpwise_runtime::array::Array as Column;

use super::table::Entry;
use super::{Op, Ref};

/// Nodes reachable from handles.
#[derive(Default)]
struct Found<'e> {
    /// The nodes, operands before users.
    nodes: Vec<&'e Ref>,
    /// Positions in `nodes`, by node number.
    positions: FxHashMap<u64, usize>,
    /// Number of references from the table and from found nodes, by position.
    references: Vec<usize>,
    /// Number of references from found nodes to blocks of memory, by address.
    blocks: FxHashMap<*const (), usize>,
}

/// Summary of the host arrays that a scalar reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reads {
    /// It reads none.
    None,
    /// The program holds all of them, or a computation that takes the scalar.
    Held,
    /// Only handles keep one of them.
    Abandoned,
}

/// Determines for each entry which host arrays it reads.
pub(super) fn arrays_read(entries: &[Entry]) -> Vec<Reads> {
    let found = Found::from(entries);
    let held = found.held_by_the_program();
    let mut reads = vec![Reads::None; found.nodes.len()];
    for (at, node) in found.nodes.iter().enumerate() {
        let own = match node.op {
            Op::Use(_) if found.is_last_of_array(node) => Reads::Abandoned,
            Op::Use(_) => Reads::Held,
            _ => Reads::None,
        };
        let all = node.references().map(|below| reads[found.positions[&below.id]]).fold(own, Reads::max);
        reads[at] = if held[at] { all.min(Reads::Held) } else { all };
    }
    entries.iter().map(|entry| reads[found.positions[&entry.node.id]]).collect()
}

impl<'e> Found<'e> {
    fn from(entries: &'e [Entry]) -> Found<'e> {
        let mut found = Found::default();
        for entry in entries {
            found.enter(&entry.node);
            found.references[found.positions[&entry.node.id]] += 1;
        }
        for at in 0..found.nodes.len() {
            let node = found.nodes[at];
            for below in node.references() {
                found.references[found.positions[&below.id]] += 1;
            }
            for column in columns(node) {
                *found.blocks.entry(address(column)).or_default() += 1;
            }
        }
        found
    }

    /// Adds a node and everything below it.
    fn enter(&mut self, root: &'e Ref) {
        // A node, and whether everything below it was entered.
        let mut steps = vec![(root, false)];
        while let Some((node, is_complete)) = steps.pop() {
            if self.positions.contains_key(&node.id) {
                continue;
            }
            if is_complete {
                self.positions.insert(node.id, self.nodes.len());
                self.nodes.push(node);
                self.references.push(0);
            } else {
                steps.push((node, true));
                steps.extend(node.references().map(|below| (below, false)));
            }
        }
    }

    /// Returns, by position, whether the node belongs to a computation that the program holds.
    fn held_by_the_program(&self) -> Vec<bool> {
        let counts = self.nodes.iter().zip(&self.references);
        let mut held: Vec<bool> = counts.map(|(node, &known)| Rc::strong_count(node) > known).collect();
        for at in (0..self.nodes.len()).rev() {
            if held[at] {
                self.nodes[at].references().for_each(|below| held[self.positions[&below.id]] = true);
            }
        }
        held
    }

    fn is_last_of_array(&self, node: &Ref) -> bool {
        let is_last = |column: &Column| {
            let known = self.blocks.get(&address(column));
            known == Some(&Arc::strong_count(column.data()))
        };
        columns(node).iter().all(is_last)
    }
}

fn columns(node: &Ref) -> &[Column] {
    match &node.op {
        Op::Use(array) => &array.columns,
        _ => &[],
    }
}

fn address(column: &Column) -> *const () {
    Arc::as_ptr(column.data()).cast()
}
