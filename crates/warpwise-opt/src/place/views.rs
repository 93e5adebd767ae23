//! Computes index functions of views.

use warpwise_ir::{Lmad, LmadDim, Operand, Placement, SliceDim};

use super::emit::Emitter;

/// Returns the placement of a slice of an array.
pub fn slice(emit: &mut Emitter, array: &Placement, dims: &[SliceDim]) -> Placement {
    let mut offset = array.index_fn.offset;
    let mut kept = Vec::new();
    for (dim, of) in dims.iter().zip(&array.index_fn.dims) {
        let first = match *dim {
            SliceDim::Fix(index) => index,
            SliceDim::Range { start, len, stride } => {
                let stride = emit.mul(stride, of.stride);
                kept.push(LmadDim { extent: len, stride });
                start
            }
        };
        let moved = emit.mul(first, of.stride);
        offset = emit.add(offset, moved);
    }
    Placement { block: array.block, index_fn: Lmad { offset, dims: kept } }
}

/// Returns the index function of a reshaped array, if a single one can express it.
pub fn reshape(emit: &mut Emitter, of: &Lmad, shape: &[Operand]) -> Option<Lmad> {
    if emit.is_dense(of) {
        let dense = emit.row_major(shape);
        return Some(Lmad { offset: of.offset, ..dense });
    }
    match of.dims.as_slice() {
        // A strided row becomes a strided array of rows.
        [only] => {
            let mut dense = emit.row_major(shape);
            for dim in &mut dense.dims {
                dim.stride = emit.mul(dim.stride, only.stride);
            }
            Some(Lmad { offset: of.offset, ..dense })
        }
        _ => None,
    }
}
