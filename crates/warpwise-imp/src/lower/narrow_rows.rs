//! Maps whose lanes each walk along a row: versions for rows of two, three and four elements.
//!
//! Rows lie one after another, so lanes read elements whose distance is the length of a row. That length is only known at run
//! time, and without it a load is a gather. Where it is a small constant, a load consists of contiguous vectors and shuffles, and
//! the walk needs no loop:
//!
//! ```text
//! ys: [n]f32 = segmap (i < n: task lane) { loop ... for j < m { x = index a[i, j]; ... } }   // m from outside
//!
//! if m == 2 { launch, m taken as 2 } else if m == 3 { ... } else if m == 4 { ... } else { launch }
//! ```
//!
//! Only cheap bodies get versions, since other bodies are not bound by their loads.

use warpwise_ir::{Body, Expr, LoopForm, Mapping, Operand as CoreOperand, SegOp, Stm, Var};
use warpwise_prim::{CompareOp, Scalar};

use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Make, Range};
use crate::types::Operand;

/// Row lengths that get a version: the distances at which loads are shuffles (`memory`).
const NARROW: [i64; 3] = [4, 3, 2];

/// Maximum cost of a body that is bound by its loads, with its loops at their shortest.
const MOST_COST: i64 = 64;

/// The version of a map for one row length.
pub(super) struct NarrowRows {
    /// Host operand that holds the length of the rows.
    length: Operand,
    /// Row length of this version.
    is: i64,
    /// The kernel, and the one that bypasses the caches.
    built: (Built, Option<Built>),
}

impl<'a> Emitter<'a> {
    /// Builds the versions of a map for narrow rows; none where its lanes do not walk along rows. Host code.
    pub fn narrow_rows(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<Vec<NarrowRows>> {
        let Some((length, held)) = self.row_length(op) else { return Ok(Vec::new()) };
        let mut versions = Vec::new();
        for is in NARROW {
            let map: Make = &|kernel, lo, hi| {
                kernel.bind(length, Value::constant(Scalar::I64(is)));
                kernel.map_part(stm, op, (lo, hi))
            };
            let built = self.build("map", stm.span, map)?;
            let past = self.streams(op, is).then(|| self.build_streaming("map_past", stm.span, map));
            versions.push(NarrowRows { length: held, is, built: (built, past.and_then(Result::ok)) });
        }
        Ok(versions)
    }

    /// Launches the version for the actual row length, or runs `otherwise`. Host code.
    pub fn launch_narrow(
        &mut self,
        versions: Vec<NarrowRows>,
        range: Range,
        bytes: Operand,
        otherwise: &mut dyn FnMut(&mut Self),
    ) {
        let mut versions = versions.into_iter();
        let Some(NarrowRows { length, is, built }) = versions.next() else { return otherwise(self) };
        let cond = self.code.compare(CompareOp::Eq, length, Operand::i64(is));
        self.choose(
            cond,
            |this| this.launch_by_size(built, bytes, &mut |this, built| this.launch(built, range)),
            |this| this.launch_narrow(versions.collect(), range, bytes, otherwise),
        );
    }

    /// Returns the length of the rows that the lanes of a map walk along, if it is a variable of the host.
    fn row_length(&mut self, op: &SegOp) -> Option<(Var, Operand)> {
        let last = op.space.last().filter(|dim| dim.mapping == Mapping::TaskLane)?;
        if self.cx.target.is_scalar() || cost::static_cost(&op.body, NARROW[0]) > MOST_COST {
            return None;
        }
        let length = op.body.stms.iter().find_map(|stm| {
            if let Expr::Loop { form: LoopForm::For { bound: CoreOperand::Var(bound), .. }, body, .. } =
                &stm.expr
            {
                self.reads_rows(body, last.index, *bound).then_some(*bound)
            } else {
                None
            }
        })?;
        match self.value(length) {
            Value::Uniform(held @ Operand::Reg(_)) => Some((length, held)),
            Value::Uniform(Operand::Const(_)) | Value::Linear { .. } | Value::Varying(_) => None,
        }
    }

    /// Returns whether a body reads elements whose address grows by `stride` with each `index`.
    fn reads_rows(&self, body: &Body, index: Var, stride: Var) -> bool {
        body.stms.iter().any(|stm| {
            let Expr::Index { array, indices } = &stm.expr else { return false };
            let Some(placement) = &self.cx.function.vars[*array].placement else { return false };
            let mut places = indices.iter().zip(&placement.index_fn.dims);
            places.any(|(place, dim)| place.as_var() == Some(index) && dim.stride.as_var() == Some(stride))
        })
    }
}
