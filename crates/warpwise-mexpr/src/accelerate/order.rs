//! Sorting of functions, definitions before uses; functions that use each other become one recursive definition.
//!
//! Uses Tarjan's algorithm. Functions that do not depend on each other keep their order.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::tree::{Binding, Decl, DeclKind, VarId};

use super::variables::free;

/// Returns the definitions of functions, in order.
pub fn in_order(bindings: Vec<Binding>) -> Vec<Decl> {
    let index: FxHashMap<VarId, usize> =
        bindings.iter().enumerate().map(|(index, binding)| (binding.var, index)).collect();
    let uses = bindings.iter().map(|binding| {
        let used: BTreeSet<usize> =
            free(&binding.body).iter().filter_map(|var| index.get(var).copied()).collect();
        used.into_iter().collect()
    });
    let uses: Vec<Vec<usize>> = uses.collect();
    let groups = groups(&uses);
    let mut bindings: Vec<Option<Binding>> = bindings.into_iter().map(Some).collect();
    groups
        .into_iter()
        .map(|group| {
            let is_recursive = group.len() > 1 || uses[group[0]].contains(&group[0]);
            let mut members: Vec<Binding> =
                group.iter().filter_map(|index| bindings[*index].take()).collect();
            let span = members[0].body.span;
            let kind = match members.pop() {
                Some(only) if !is_recursive => DeclKind::Let(only),
                last => {
                    members.extend(last);
                    DeclKind::Recursive(members)
                }
            };
            Decl { kind, span }
        })
        .collect()
}

/// Returns the strongly connected components of a graph, each sorted; a component comes after those that its edges lead to.
pub fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        number: vec![None; edges.len()],
        low: vec![0; edges.len()],
        open: Vec::new(),
        is_open: vec![false; edges.len()],
        count: 0,
        groups: Vec::new(),
    };
    for node in 0..edges.len() {
        if search.number[node].is_none() {
            search.visit(node);
        }
    }
    search.groups
}

struct Search<'a> {
    edges: &'a [Vec<usize>],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    count: usize,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Visits the nodes that can be reached from `root`. They wait on an explicit list, so that long chains of calls need no deep
    /// stack.
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, edge)) = path.pop() {
            if let Some(&next) = self.edges[node].get(edge) {
                path.push((node, edge + 1));
                match self.number[next] {
                    None => {
                        self.enter(next);
                        path.push((next, 0));
                    }
                    Some(number) if self.is_open[next] => self.low[node] = self.low[node].min(number),
                    Some(_) => {}
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[node]);
            }
            if Some(self.low[node]) == self.number[node] {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.number[node] = Some(self.count);
        self.low[node] = self.count;
        self.count += 1;
        self.open.push(node);
        self.is_open[node] = true;
    }

    fn close(&mut self, node: usize) {
        let mut group = Vec::new();
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            group.push(member);
            if member == node {
                break;
            }
        }
        group.sort_unstable();
        self.groups.push(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_comes_first() {
        assert_eq!(groups(&[vec![1], vec![2], vec![]]), [vec![2], vec![1], vec![0]]);
        assert_eq!(groups(&[vec![], vec![], vec![]]), [vec![0], vec![1], vec![2]]);
        assert_eq!(groups(&[vec![1], vec![0, 2], vec![], vec![1, 3]]), [vec![2], vec![0, 1], vec![3]]);
        assert_eq!(groups(&[]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn long_chains_need_no_stack() {
        let n = 100_000;
        let chain: Vec<Vec<usize>> = (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(groups(&chain)[0], [n - 1]);
    }
}
