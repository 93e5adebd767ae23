//! Selection of the foreign functions to call.
//!
//! A foreign function runs between two programs: the first computes its arguments, the second takes its results. This is possible
//! if the function does not depend on a parameter of a scalar function or on the state of a loop; otherwise its fallback is
//! computed.

use rustc_hash::FxHashMap;

use super::plan::operands_first;
use crate::foreign::DeviceKind;
use crate::graph::{Op, Ref};

/// Returns the callable foreign functions of this kind of device that the results need, in calling order.
pub(crate) fn foreign_calls(params: &[Ref], results: &[Ref], device: DeviceKind) -> Vec<Ref> {
    let mut calls: Vec<Ref> = Vec::new();
    let mut pending: Vec<Ref> = results.to_vec();
    while let Some(result) = pending.pop() {
        let given: Vec<Ref> = params.iter().chain(&calls).cloned().collect();
        let order = operands_first(&given, std::slice::from_ref(&result));
        let Some(call) = order.iter().find(|node| is_callable(node, device, params, &calls)) else {
            continue;
        };
        // Foreign functions in the arguments come first.
        let before = foreign_calls(params, std::slice::from_ref(&call.inputs[0]), device);
        for other in before.into_iter().chain([call.clone()]) {
            if calls.iter().all(|known| known.id != other.id) {
                calls.push(other);
            }
        }
        pending.push(result);
    }
    calls
}

fn is_callable(node: &Ref, device: DeviceKind, params: &[Ref], calls: &[Ref]) -> bool {
    let Op::Foreign(native) = &node.op else { return false };
    let is_known = calls.iter().any(|call| call.id == node.id);
    native.device == device && !is_known && !depends_on_variables(&node.inputs[0], params)
}

/// Returns whether a node depends on a parameter that does not belong to the whole program.
fn depends_on_variables(node: &Ref, params: &[Ref]) -> bool {
    let order = operands_first(&[], std::slice::from_ref(node));
    let mut bound: FxHashMap<u64, ()> = params.iter().map(|param| (param.id, ())).collect();
    for function in order.iter().flat_map(|node| &node.functions) {
        bound.extend(function.params.iter().map(|param| (param.id, ())));
    }
    order.iter().any(|node| matches!(node.op, Op::Parameter) && !bound.contains_key(&node.id))
}
