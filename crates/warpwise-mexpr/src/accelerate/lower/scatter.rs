//! Scattered writes: indices and values that the iterations of a parallel loop yield.
//!
//! Each place of the code that writes makes a [`Slot`]. The slots of one iteration become one, in the order of the code, so that a
//! single scatter writes in the order of the program:
//! ```text
//! loop n (lam i. tensorSetExn t [0] i; tensorSetExn t [modi i 3] 9)
//! ==>
//! at: [n][2]i64, x: [n][2]i64 = screma n (is) map (i: i64) { k: i64 = srem i 3; return [0, k], [i, 9] };
//! m: [n]i64 = scatter (reshape [2 * n] at, reshape [2 * n] x) to t
//! ```
//! Of values with equal indices the last one counts.

use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{Expr as Ir, Operand, Scatter, ScatterDest, Type, Var};
use warpwise_prim::BinaryOp;

use super::Lowerer;
use super::memory::{Contents, Slot};

impl Lowerer<'_, '_> {
    /// Joins the slots of an iteration, in their order.
    pub(super) fn in_turn(&mut self, slots: Vec<Slot>) -> Vec<Slot> {
        let [first, _, ..] = slots.as_slice() else { return slots };
        let n_leaves = first.leaves.len();
        if slots.iter().all(|slot| slot.extents.is_empty()) {
            let literal = |leaf: usize| Ir::ArrayLit(slots.iter().map(|slot| slot.leaves[leaf]).collect());
            let leaves = (0..n_leaves).map(|leaf| self.b.bind_one("both", literal(leaf)).into()).collect();
            return vec![Slot { extents: vec![Operand::i64(slots.len() as i64)], leaves }];
        }
        // The sum is that of the sizes of arrays, so it fits.
        let mut total = Operand::i64(0);
        let mut columns = vec![Vec::new(); n_leaves];
        for slot in &slots {
            let mut count = Operand::i64(1);
            for extent in &slot.extents {
                count = self.product(count, *extent);
            }
            total = match total == Operand::i64(0) {
                true => count,
                false => self.b.binary("n", BinaryOp::Add, total, count),
            };
            for (column, leaf) in columns.iter_mut().zip(&slot.leaves) {
                column.push(self.flat(*leaf, slot.extents.len(), count));
            }
        }
        let concat = |arrays| Ir::Concat { len: total, arrays };
        let leaves =
            columns.into_iter().map(|arrays| self.b.bind_one("all", concat(arrays)).into()).collect();
        vec![Slot { extents: vec![total], leaves }]
    }

    /// Returns a leaf of a slot as an array of one dimension.
    fn flat(&mut self, leaf: Operand, rank: usize, count: Operand) -> Var {
        match (leaf.as_var(), rank) {
            (Some(array), 1) => array,
            (Some(array), 2..) => {
                self.b.bind_one("flat", Ir::Reshape { array, shape: [count].into_iter().collect() })
            }
            (_, _) => self.b.bind_one("one", Ir::ArrayLit(vec![leaf])),
        }
    }

    /// Writes scattered values, or passes them to the surrounding loop.
    pub(super) fn put_slot(&mut self, buffer: usize, slot: Slot) {
        if let Contents::Pending(slots) = &mut self.memory.buffers[buffer].contents {
            return slots.push(slot);
        }
        let array = self.settle(buffer);
        let (mut count, mut certs) = (Operand::i64(1), Vec::new());
        for extent in &slot.extents {
            let (product, cert) = self.size(SizeOp::Mul, count, *extent);
            count = product;
            certs.extend(cert);
        }
        let mut inputs = Vec::new();
        for leaf in slot.leaves.iter().filter_map(|leaf| leaf.as_var()) {
            inputs.push(match slot.extents.len() {
                1 => leaf,
                _ => {
                    let flat = Ir::Reshape { array: leaf, shape: [count].into_iter().collect() };
                    self.b.with_certs(&certs, |b| b.bind_one("flat", flat))
                }
            });
        }
        let types: Vec<Type> =
            inputs.iter().filter_map(|input| self.b.function.ty(*input).elem()).map(Type::Scalar).collect();
        let rank = types.len() - 1;
        let lambda = self.b.identity(&types);
        let dests = vec![ScatterDest::at(array, rank)];
        let scatter = Scatter { width: count, inputs, lambda, dests };
        let array = self.b.bind_one("m", Ir::Scatter(Box::new(scatter)));
        self.memory.written.insert(buffer);
        self.memory.buffers[buffer].contents = Contents::Array(array);
    }
}
