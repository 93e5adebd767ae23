//! The form of a graph: everything that lowering depends on, so that graphs of equal form are lowered only once.
//!
//! Nodes are renumbered by their rank in the order of node numbers, which is the order of creation. Host arrays are represented
//! by their types only. Two graphs of equal form differ only in the contents and extents of these arrays.
//!
//! Absent: recognising graphs that compute the same result differently.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxHashMap;

use super::{Axis, Function, Node, Op, Ref, Ty};

/// The form of a graph, and its nodes.
pub(crate) struct Form {
    key: u128,
    /// The nodes, ordered by number.
    nodes: Vec<Ref>,
}

impl Form {
    /// Computes the form of the graph from parameters to results. `purpose` stands for everything else that determines the
    /// lowered program.
    pub fn new(purpose: impl Hash, params: &[Ref], results: &[Ref]) -> Form {
        let nodes = reachable(params.iter().chain(results));
        let ranks: FxHashMap<u64, usize> = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let mut writer = Writer { ranks, bytes: Bytes::default() };
        purpose.hash(&mut writer.bytes);
        writer.refs(params);
        writer.refs(results);
        nodes.iter().for_each(|node| writer.node(node));
        Form { key: writer.bytes.fingerprint(), nodes }
    }

    /// Returns the key, which identifies the form.
    pub fn key(&self) -> u128 {
        self.key
    }

    /// Returns the position of a node in the graph.
    pub fn position(&self, node: &Node) -> Option<usize> {
        self.nodes.binary_search_by_key(&node.id, |node| node.id).ok()
    }

    /// Returns the node at a position.
    pub fn node(&self, at: usize) -> &Ref {
        &self.nodes[at]
    }
}

/// Returns all nodes that the roots depend on, ordered by number.
fn reachable<'r>(roots: impl Iterator<Item = &'r Ref>) -> Vec<Ref> {
    let mut found: FxHashMap<u64, Ref> = FxHashMap::default();
    let mut pending: Vec<Ref> = roots.cloned().collect();
    while let Some(node) = pending.pop() {
        if found.contains_key(&node.id) {
            continue;
        }
        pending.extend(node.references().cloned());
        #[cfg(feature = "seq")]
        if let Op::Parts(parts) = &node.op {
            pending.extend(parts.sources.iter().map(|(param, _)| param.clone()));
            pending.extend(parts.captured.iter().chain(&parts.results).cloned());
        }
        found.insert(node.id, node);
    }
    let mut nodes: Vec<Ref> = found.into_values().collect();
    nodes.sort_unstable_by_key(|node| node.id);
    nodes
}

/// A writer that serialises nodes to bytes.
struct Writer {
    ranks: FxHashMap<u64, usize>,
    bytes: Bytes,
}

impl Writer {
    fn refs(&mut self, refs: &[Ref]) {
        refs.len().hash(&mut self.bytes);
        refs.iter().for_each(|node| self.ranks[&node.id].hash(&mut self.bytes));
    }

    fn node(&mut self, node: &Node) {
        self.refs(&node.inputs);
        node.functions.len().hash(&mut self.bytes);
        for Function { params, result } in &node.functions {
            self.refs(params);
            self.refs(std::slice::from_ref(result));
        }
        match &node.ty {
            Ty::Scalars(components) => (0_u8, components).hash(&mut self.bytes),
            Ty::Arrays(arrays) => {
                (1_u8, arrays.len()).hash(&mut self.bytes);
                arrays.iter().for_each(|ty| (ty.rank, &ty.components).hash(&mut self.bytes));
            }
        }
        // Included because error messages name places.
        node.place.hash(&mut self.bytes);
        self.op(&node.op);
    }

    fn op(&mut self, op: &Op) {
        std::mem::discriminant(op).hash(&mut self.bytes);
        let bytes = &mut self.bytes;
        match op {
            Op::Parameter
            | Op::Use(_)
            | Op::Join
            | Op::Character
            | Op::Choose
            | Op::While
            | Op::Extents
            | Op::Gather
            | Op::Unit
            | Op::Generate
            | Op::Backpermute
            | Op::Reshape
            | Op::Flatten
            | Op::FoldSegments
            | Op::Permute
            | Op::Scatter
            | Op::Filter
            | Op::Concat
            | Op::Compute => {}
            Op::Invalid(reason) => reason.hash(bytes),
            Op::Constant(values) => {
                values.iter().for_each(|value| (value.ty(), value.to_bits()).hash(bytes));
            }
            Op::Part(at) | Op::Group(at) => at.hash(bytes),
            Op::Unary(op) => op.hash(bytes),
            Op::Binary(op) => op.hash(bytes),
            Op::Ternary(op) => op.hash(bytes),
            Op::Compare(op) => op.hash(bytes),
            Op::Convert(op) => op.hash(bytes),
            Op::At { in_bounds } => in_bounds.hash(bytes),
            Op::Map { indexed, equal } => (indexed, equal).hash(bytes),
            Op::Slice(axes) => axes.iter().for_each(|axis: &Axis| axis.hash(bytes)),
            Op::Transpose(order) => order.hash(bytes),
            Op::Replicate(dimensions) => dimensions.hash(bytes),
            Op::Fold(fold) | Op::FoldAll(fold) => fold.hash(bytes),
            Op::Scan { exclusive, fold } => (exclusive, fold).hash(bytes),
            Op::Foreign(native) => (native.name, native.device).hash(bytes),
            #[cfg(feature = "seq")]
            Op::Parts(parts) => {
                for (param, kind) in &parts.sources {
                    kind.hash(&mut self.bytes);
                    self.refs(std::slice::from_ref(param));
                }
                self.refs(&parts.captured);
                self.refs(&parts.results);
            }
        }
    }
}

/// A hasher that keeps all hashed bytes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn fingerprint(&self) -> u128 {
        fingerprint(&self.0)
    }
}

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        self.fingerprint() as u64
    }
}

/// Returns a 128-bit hash by which programs and forms are identified.
pub(crate) fn fingerprint(bytes: &[u8]) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, bytes).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Acc, Array, Vector, use_};

    fn form(computation: &Acc<Vector<i64>>) -> u128 {
        let mut results = Vec::new();
        crate::acc::Arrays::nodes(computation, &mut results);
        Form::new("test", &[], &results).key()
    }

    fn scaled(data: Vec<i64>, factor: i64) -> Acc<Vector<i64>> {
        let data: Array<_, i64> = data.into();
        use_(&data).map(|x| x * factor)
    }

    #[test]
    fn graphs_have_one_form_whatever_arrays_they_use() {
        assert_eq!(form(&scaled(vec![1, 2], 3)), form(&scaled(vec![4], 3)));
    }

    #[test]
    fn constants_operators_sharing_and_order_make_other_forms() {
        let xs = scaled(vec![1], 3);
        let ys = scaled(vec![1], 3);
        let sum = |xs: &Acc<Vector<i64>>, ys: &Acc<Vector<i64>>| xs.zip_with(ys, |x, y| x - y);
        let forms = [
            form(&xs),
            form(&scaled(vec![1], 4)),
            form(&sum(&xs, &xs)),
            form(&sum(&xs, &ys)),
            form(&sum(&ys, &xs)),
        ];
        for (at, form) in forms.iter().enumerate() {
            assert!(!forms[..at].contains(form), "{at}");
        }
    }
}
