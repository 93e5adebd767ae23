//! Loops that only add to the elements they write: histograms.
//!
//! ```text
//! seqLoop n (lam i. let k = tensorGetExn s [i] in tensorSetExn t [k] (addi (tensorGetExn t [k]) 1))
//! ```
//! Sums of integers do not depend on the order, so such a loop becomes a map that yields indices and addends, and a `hist`. The
//! body is lowered with placeholders for the values that it reads from such tensors. If a placeholder is used for anything but
//! the sum that is written to the same place, the lowered code is dropped, and the loop is not a histogram.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use warpwise_diag::{Failure, Span};
use warpwise_ir::{Body, Expr as Ir, Hist, HistOp, Lambda, LoopForm, Operand, Screma, Stm, Type, Var};
use warpwise_prim::{BinaryOp, Scalar, ScalarType};

use super::Lowerer;
use super::memory::{Adding, Around, Contents, Slot};
use super::parallel::no_value;
use super::value::{Data, Value};

impl Lowerer<'_, '_> {
    /// Lowers a loop as a histogram, if it is one.
    pub(super) fn counting_loop(&mut self, width: Operand, f: &Value, span: Span) -> Result<bool, Failure> {
        let (probe, _) = self.probe(width, f, span)?;
        let written: BTreeSet<usize> =
            probe.accesses.iter().filter(|access| access.is_write).map(|access| access.buffer).collect();
        let accesses = || probe.accesses.iter().filter(|access| written.contains(&access.buffer));
        let is_once = accesses().all(|access| access.within.iter().all(|around| *around == Around::Choice));
        let n_writes = accesses().filter(|access| access.is_write).count();
        let can_count = written.iter().all(|buffer| {
            let it = &self.memory.buffers[*buffer];
            let is_array = !it.free().is_empty() && !matches!(it.contents, Contents::Pending(_));
            it.element == ScalarType::I64 && is_array
        });
        // In a loop that runs only for its checks, a histogram would not be needed.
        let is_checking = self.memory.checking.is_some();
        let is_histogram = is_once && can_count && accesses().count() == 2 * n_writes;
        if written.is_empty() || probe.prints || is_checking || !is_histogram {
            return Ok(false);
        }
        self.try_counting(width, f, &written, span)
    }

    fn try_counting(
        &mut self,
        width: Operand,
        f: &Value,
        written: &BTreeSet<usize>,
        span: Span,
    ) -> Result<bool, Failure> {
        let outer = self.memory.adding.replace(Adding::default());
        let before = self.memory.buffers.clone();
        let index = self.b.function.fresh("i", Type::I64);
        self.memory.around.push(Around::Parallel(width));
        let made = self.nested(|this| {
            for buffer in written {
                this.memory.buffers[*buffer].contents = Contents::Pending(Vec::new());
            }
            this.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span)?;
            Ok(written.iter().map(|buffer| this.slots(*buffer)).collect::<Vec<_>>())
        });
        self.memory.around.pop();
        self.memory.buffers = before;
        let adding = std::mem::replace(&mut self.memory.adding, outer).unwrap_or_default();
        let (stms, slots) = made?;
        let mut uses = FxHashMap::default();
        count_uses(&stms, &mut uses);
        let of = |var: &Var| uses.get(var).copied().unwrap_or(0);
        let only_added = adding.sums.iter().all(|(read, sum)| of(read) == 1 && of(sum) == 0);
        let all_written = adding.sums.len() == adding.read.len();
        if adding.has_failed || !only_added || !all_written {
            return Ok(false);
        }
        let result: Vec<Operand> = slots.iter().flatten().flat_map(|slot| slot.leaves.clone()).collect();
        let map = Lambda { params: vec![index], body: Body { stms, result } };
        let indices = self.indices(width);
        let inputs = indices.leaves.iter().filter_map(|leaf| leaf.as_var()).collect();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let mut arrays = self.b.bind("added", Ir::Screma(Box::new(screma))).into_iter();
        for (buffer, slots) in written.iter().zip(slots) {
            for slot in slots {
                let inputs: Vec<Var> = slot.leaves.iter().filter_map(|_| arrays.next()).collect();
                self.add_all(*buffer, width, inputs);
            }
        }
        Ok(true)
    }

    fn slots(&self, buffer: usize) -> Vec<Slot> {
        match &self.memory.buffers[buffer].contents {
            Contents::Pending(slots) => slots.clone(),
            _ => Vec::new(),
        }
    }

    /// Adds values at indices; the values are the last of the inputs.
    fn add_all(&mut self, buffer: usize, width: Operand, inputs: Vec<Var>) {
        let array = self.settle(buffer);
        let rank = inputs.len() - 1;
        let lambda = self.b.identity(&vec![Type::I64; inputs.len()]);
        let op = self.b.operator(BinaryOp::Add, ScalarType::I64);
        let op = HistOp { dests: vec![array], rank, op, neutral: vec![Scalar::I64(0).into()] };
        let array = self.b.bind_one("m", Ir::Hist(Box::new(Hist { width, inputs, lambda, ops: vec![op] })));
        self.memory.written.insert(buffer);
        self.memory.buffers[buffer].contents = Contents::Array(array);
    }

    /// Returns a placeholder for the value at a place that may only be added to.
    pub(super) fn read_to_add(&mut self, buffer: usize, index: &[Operand]) -> Operand {
        let value = self.b.bind_one("before", Ir::Operand(Operand::i64(0)));
        if let Some(adding) = &mut self.memory.adding {
            adding.read.insert(value, (buffer, index.to_vec()));
        }
        value.into()
    }

    /// Returns the value to be written: in a loop that may only add, the addend.
    pub(super) fn what_is_written(&mut self, buffer: usize, index: &[Operand], value: Operand) -> Operand {
        let is_pending = matches!(self.memory.buffers[buffer].contents, Contents::Pending(_));
        let Some(adding) = self.memory.adding.as_mut().filter(|_| is_pending) else { return value };
        let place = (buffer, index.to_vec());
        let summands = value.as_var().and_then(|sum| Some((sum, *self.sums.get(&sum)?)));
        if let Some((sum, (first, second))) = summands {
            if adding.read.get(&first) == Some(&place) {
                adding.sums.push((first, sum));
                return second;
            }
            if let Some(second) = second.as_var()
                && adding.read.get(&second) == Some(&place)
            {
                adding.sums.push((second, sum));
                return first.into();
            }
        }
        adding.has_failed = true;
        value
    }
}

/// Counts the uses of variables in statements and everything nested in them.
fn count_uses(stms: &[Stm], uses: &mut FxHashMap<Var, usize>) {
    for stm in stms {
        let mut count = |operand: Operand| {
            if let Some(var) = operand.as_var() {
                *uses.entry(var).or_default() += 1;
            }
        };
        stm.expr.for_each_operand(&mut count);
        if let Ir::Loop { form: LoopForm::For { bound, .. }, .. } = &stm.expr {
            count(*bound);
        }
        stm.expr.for_each_body(|body| {
            count_uses(&body.stms, uses);
            for var in body.result.iter().filter_map(|operand| operand.as_var()) {
                *uses.entry(var).or_default() += 1;
            }
        });
    }
}
