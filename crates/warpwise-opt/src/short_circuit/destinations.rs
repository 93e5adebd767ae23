//! Finds statements that copy whole arrays, and the destination of each array.

use warpwise_ir::{Expr, Function, Lmad, LmadDim, Operand, Placement, Stm, Var, exprs};

use crate::place::{Emitter, slice};

/// Returns the arrays that a statement copies, with their positions among its operands.
pub(super) fn sources(stm: &Stm, function: &Function) -> Vec<(usize, Var)> {
    let array = |operand: &Operand| operand.as_var().filter(|&var| function.ty(var).rank() > 0);
    match &stm.expr {
        Expr::Copy(source) | Expr::Manifest { array: source, .. } => vec![(0, *source)],
        Expr::Update { value, .. } => array(value).map(|source| (0, source)).into_iter().collect(),
        Expr::Concat { arrays, .. } => arrays.iter().copied().enumerate().collect(),
        Expr::ArrayLit(elements) => {
            elements.iter().enumerate().filter_map(|(number, x)| Some((number, array(x)?))).collect()
        }
        exprs!(
            Operand, scalar, Assert, view, Iota, Replicate, Scratch, nested, Call, UpdateAcc, Tuned, Alloc
        ) => Vec::new(),
    }
}

/// Returns the destination of the source at this position.
pub(super) fn destination(emit: &mut Emitter, stm: &Stm, number: usize) -> Placement {
    let placed = |emit: &Emitter, var: Var| {
        emit.function.vars[var].placement.clone().expect("arrays are placed where they are bound")
    };
    let whole = placed(emit, stm.pattern[0]);
    match &stm.expr {
        Expr::Update { array, dims, .. } => slice(emit, &placed(emit, *array), dims),
        Expr::Concat { arrays, .. } => {
            let outer = |emit: &Emitter, var: Var| emit.function.ty(var).shape()[0];
            let mut start = Operand::i64(0);
            for &before in &arrays[..number] {
                let extent = outer(emit, before);
                start = emit.add(start, extent);
            }
            let stride = whole.index_fn.dims[0].stride;
            let distance = emit.mul(start, stride);
            let offset = emit.add(whole.index_fn.offset, distance);
            let mut dims = whole.index_fn.dims;
            dims[0] = LmadDim { extent: outer(emit, arrays[number]), stride };
            Placement { block: whole.block, index_fn: Lmad { offset, dims } }
        }
        Expr::ArrayLit(_) => {
            let index_fn = emit.row(&whole.index_fn, &[Operand::i64(number as i64)]);
            Placement { block: whole.block, index_fn }
        }
        exprs!(
            Operand, scalar, Assert, view, Iota, Replicate, Copy, Manifest, Scratch, nested, Call, UpdateAcc,
            Tuned, Alloc
        ) => whole,
    }
}
