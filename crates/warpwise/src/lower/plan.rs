//! Placement of nodes in scopes.
//!
//! Functions, choices and loops open scopes. A node is computed in the innermost scope that encloses all its users, so that a
//! shared value is computed once, and a value needed by only one side of a choice is computed only there. But a node is never
//! computed inside a function that was begun after the node was made: values written before a closure are computed before it.
//! Operations on arrays are never computed inside scalar functions.

use rustc_hash::FxHashMap;
use warpwise_ir::deep::LEVELS;

use crate::graph::{Node, Op, Ref};

/// A scope, by position in [`Plan::scopes`].
pub(super) type ScopeId = usize;

/// The scope in which every node is computed.
pub(super) struct Plan {
    scopes: Vec<Scope>,
    home: FxHashMap<u64, ScopeId>,
    nested: FxHashMap<(u64, usize), ScopeId>,
    uses: FxHashMap<u64, Uses>,
    /// The host arrays, each once.
    pub used: Vec<Ref>,
    /// A node whose function, or side of a choice, exceeds the maximum nesting depth of programs.
    pub too_deep: Option<Ref>,
}

struct Scope {
    parent: Option<ScopeId>,
    depth: usize,
    /// Number at which the scope was begun: nodes with smaller numbers were made before it. 0 where this does not matter.
    begin: u64,
    /// Maximum of `begin` over this scope and its ancestors.
    latest_begin: u64,
    /// Whether array operations may be computed here.
    arrays: bool,
    /// Whether array operations may be computed here and in all ancestors.
    arrays_around: bool,
    /// Nodes computed here, operands first.
    nodes: Vec<Ref>,
}

/// Uses of an array's elements.
#[derive(Clone, Copy, Default)]
struct Uses {
    count: usize,
    /// Whether all uses take every element at most once, in the scope in which the array is computed.
    once_each: bool,
}

/// Plans the computation of these results from given nodes.
pub(super) fn plan(given: &[Ref], results: &[Ref]) -> Plan {
    let order = operands_first(given, results);
    let given: FxHashMap<u64, ()> = given.iter().map(|node| (node.id, ())).collect();
    let top = Scope {
        parent: None,
        depth: 0,
        begin: 0,
        latest_begin: 0,
        arrays: true,
        arrays_around: true,
        nodes: Vec::new(),
    };
    let mut plan = Plan {
        scopes: vec![top],
        home: FxHashMap::default(),
        nested: FxHashMap::default(),
        uses: FxHashMap::default(),
        used: Vec::new(),
        too_deep: None,
    };
    for result in results {
        plan.use_in(result, 0);
    }
    for node in order.iter().rev().filter(|node| !given.contains_key(&node.id)) {
        plan.place(node);
    }
    for node in order.iter().filter(|node| !given.contains_key(&node.id)) {
        if matches!(node.op, Op::Use(_)) {
            plan.used.push(node.clone());
        } else if !matches!(node.op, Op::Parameter)
            && let Some(&home) = plan.home.get(&node.id)
        {
            plan.scopes[home].nodes.push(node.clone());
        }
    }
    plan
}

impl Plan {
    /// Returns the nodes computed in a scope, operands first.
    pub fn nodes(&self, scope: ScopeId) -> Vec<Ref> {
        self.scopes[scope].nodes.clone()
    }

    /// Returns whether nothing is computed in a scope.
    pub fn is_empty(&self, scope: ScopeId) -> bool {
        self.scopes[scope].nodes.is_empty()
    }

    /// Returns the scope of a node's function, or of a side of a choice.
    pub fn scope(&self, node: &Node, at: usize) -> Option<ScopeId> {
        self.nested.get(&(node.id, at)).copied()
    }

    /// Returns whether every element of an array is used at most once, by a single other array operation.
    pub fn is_used_once(&self, node: &Node) -> bool {
        self.uses.get(&node.id).is_some_and(|uses| uses.count == 1 && uses.once_each)
    }

    /// Chooses the scope of a node whose users are all placed, and records the uses of its operands.
    fn place(&mut self, node: &Ref) {
        let Some(&shared) = self.home.get(&node.id) else { return };
        let home = self.not_after(node, shared);
        self.home.insert(node.id, home);
        let is_loop = matches!(node.op, Op::While);
        for (at, input) in node.inputs.iter().enumerate().skip(first_operand(node)) {
            let scope = match node.op {
                Op::Choose if at > 0 => self.open(node, at - 1, home, 0, node.is_array()),
                _ => home,
            };
            self.use_in(input, scope);
            self.count(node, at, input);
        }
        for (at, function) in node.functions.iter().enumerate() {
            let begin = function.params.iter().map(|param| param.id).min().unwrap_or(0);
            let scope = self.open(node, at, home, begin, is_loop && node.is_array());
            self.use_in(&function.result, scope);
        }
    }

    fn open(&mut self, node: &Ref, at: usize, parent: ScopeId, begin: u64, arrays: bool) -> ScopeId {
        let around = &self.scopes[parent];
        let depth = around.depth + 1;
        let latest_begin = around.latest_begin.max(begin);
        let arrays_around = around.arrays_around && arrays;
        if depth > LEVELS {
            self.too_deep = Some(node.clone());
        }
        self.scopes.push(Scope {
            parent: Some(parent),
            depth,
            begin,
            latest_begin,
            arrays,
            arrays_around,
            nodes: Vec::new(),
        });
        let scope = self.scopes.len() - 1;
        self.nested.insert((node.id, at), scope);
        scope
    }

    fn use_in(&mut self, node: &Ref, scope: ScopeId) {
        let scope = match self.home.get(&node.id) {
            Some(&other) => self.common(scope, other),
            None => scope,
        };
        self.home.insert(node.id, scope);
    }

    fn common(&self, mut a: ScopeId, mut b: ScopeId) -> ScopeId {
        while a != b {
            if self.scopes[a].depth < self.scopes[b].depth {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.scopes[a].parent.unwrap_or(a);
        }
        a
    }

    /// Returns the innermost scope at or around `scope` in which the node may be computed.
    fn not_after(&self, node: &Node, scope: ScopeId) -> ScopeId {
        let Scope { latest_begin, arrays_around, .. } = self.scopes[scope];
        if latest_begin <= node.id && (arrays_around || !node.is_array()) {
            return scope;
        }
        let mut home = scope;
        let mut around = Some(scope);
        while let Some(at) = around {
            let Scope { parent, begin, arrays, .. } = self.scopes[at];
            if let Some(parent) = parent
                && (begin > node.id || (node.is_array() && !arrays))
            {
                home = parent;
            }
            around = parent;
        }
        home
    }

    /// Counts a use of an array's elements.
    fn count(&mut self, user: &Node, at: usize, input: &Node) {
        if !input.is_array() || matches!(user.op, Op::Extents) {
            return;
        }
        let once_each = match user.op {
            Op::Map { .. }
            | Op::Backpermute
            | Op::Slice(_)
            | Op::Transpose(_)
            | Op::Fold(_)
            | Op::FoldAll(_)
            | Op::Scan { .. }
            | Op::Filter => true,
            // Segments do not overlap, because their starts follow from their lengths.
            Op::FoldSegments => at == 0,
            Op::Permute | Op::Scatter => at == 1,
            _ => false,
        };
        let same_home = self.home.get(&user.id) == self.home.get(&input.id);
        let uses = self.uses.entry(input.id).or_default();
        uses.count += 1;
        uses.once_each = once_each && same_home;
    }
}

/// Returns the index of the first operand that is needed. The arguments of a foreign function are not, since its fallback is
/// computed here.
fn first_operand(node: &Node) -> usize {
    usize::from(matches!(node.op, Op::Foreign(_)))
}

/// Returns all nodes that the results need, operands before users; operands of given nodes are not needed.
pub(super) fn operands_first(given: &[Ref], results: &[Ref]) -> Vec<Ref> {
    enum Step {
        Enter(Ref),
        Leave(Ref),
    }
    let mut entered = FxHashMap::default();
    let given: FxHashMap<u64, ()> = given.iter().map(|node| (node.id, ())).collect();
    let mut order = Vec::new();
    let mut steps: Vec<Step> = results.iter().rev().map(|node| Step::Enter(node.clone())).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(node) => order.push(node),
            Step::Enter(node) => {
                if entered.insert(node.id, ()).is_some() {
                    continue;
                }
                let inputs = node.inputs.iter().skip(first_operand(&node));
                let mut operands: Vec<Ref> =
                    inputs.chain(node.functions.iter().map(|f| &f.result)).cloned().collect();
                if given.contains_key(&node.id) {
                    operands.clear();
                }
                steps.push(Step::Leave(node));
                steps.extend(operands.into_iter().rev().map(Step::Enter));
            }
        }
    }
    order
}
