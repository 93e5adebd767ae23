//! The use of array storage by an expression: the arrays that it overwrites, that it is a view of, and that it passes to lambdas
//! in parts.
//!
//! All reasoning about aliases and consumption uses these queries, so that a new construct is described once. Bodies and lambdas
//! are not entered. The use of these facts differs: the verifier wants proofs, passes want sets that are large enough.

use crate::expr::{Expr, Lambda};
use crate::program::{FunctionId, Var};
use crate::segop::SegKind;
use crate::soac::{FlatMap, Hist, Partition, Scatter, Screma, Stream, StreamKind};
use crate::types::Operand;

/// Defines one walk over the arrays that an expression consumes itself. The arguments are the kind of borrow and the iterator
/// method.
macro_rules! consumed {
    ($(#[$meta:meta])* $name:ident [$($borrow:tt)*] $iter:ident) => {
        $(#[$meta])*
        pub fn $name(
            $($borrow)* self,
            takes: impl Fn(FunctionId, usize) -> bool,
            mut f: impl FnMut($($borrow)* Var),
        ) {
            match self {
                Expr::Update { array, .. } => f(array),
                Expr::UpdateAcc { acc, .. } => f(acc),
                Expr::Loop { params, .. } => {
                    for param in params.$iter().filter(|param| param.consumed) {
                        if let Operand::Var(var) = $($borrow)* param.init {
                            f(var);
                        }
                    }
                }
                Expr::Call { function, args } => {
                    for (at, arg) in args.$iter().enumerate() {
                        if let Operand::Var(var) = arg
                            && takes(*function, at)
                        {
                            f(var);
                        }
                    }
                }
                Expr::Scatter(soac) => soac.dests.$iter().for_each(|dest| f($($borrow)* dest.array)),
                Expr::Hist(soac) => soac.ops.$iter().for_each(|op| op.dests.$iter().for_each(&mut f)),
                Expr::WithAcc(soac) => {
                    soac.inputs.$iter().for_each(|input| input.arrays.$iter().for_each(&mut f));
                }
                Expr::Seg(op) => match $($borrow)* op.kind {
                    SegKind::Scatter { dests } => dests.$iter().for_each(|dest| f($($borrow)* dest.array)),
                    SegKind::Hist { ops } => ops.$iter().for_each(|op| op.dests.$iter().for_each(&mut f)),
                    SegKind::Map
                    | SegKind::Reduce { .. }
                    | SegKind::Scan { .. }
                    | SegKind::Partition { .. } => {}
                },
                Expr::Operand(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Ternary(..)
                | Expr::Compare(..)
                | Expr::Convert(..)
                | Expr::Select(..)
                | Expr::Assert { .. }
                | Expr::Index { .. }
                | Expr::Slice { .. }
                | Expr::Iota { .. }
                | Expr::Replicate { .. }
                | Expr::ArrayLit(_)
                | Expr::Concat { .. }
                | Expr::Rearrange { .. }
                | Expr::Reshape { .. }
                | Expr::Copy(_)
                | Expr::Manifest { .. }
                | Expr::Scratch { .. }
                | Expr::If { .. }
                | Expr::Screma(_)
                | Expr::Partition(_)
                | Expr::Stream(_)
                | Expr::FlatMap(_)
                | Expr::Tuned { .. }
                | Expr::Alloc { .. } => {}
            }
        }
    };
}

/// Defines one query for the parameters that stand for parts of arrays. The arguments are the kind of borrow and the iterator
/// method.
macro_rules! parts {
    ($(#[$meta:meta])* $name:ident [$($borrow:tt)*] $iter:ident) => {
        $(#[$meta])*
        pub fn $name($($borrow)* self) -> Option<($($borrow)* Lambda, Vec<Option<$($borrow)* Var>>)> {
            match self {
                Expr::Screma(soac) => {
                    let Screma { map, inputs, .. } = $($borrow)* **soac;
                    Some((map, inputs.$iter().map(Some).collect()))
                }
                Expr::Partition(soac) => {
                    let Partition { lambda, inputs, .. } = $($borrow)* **soac;
                    Some((lambda, inputs.$iter().map(Some).collect()))
                }
                Expr::Scatter(soac) => {
                    let Scatter { lambda, inputs, .. } = $($borrow)* **soac;
                    Some((lambda, inputs.$iter().map(Some).collect()))
                }
                Expr::Hist(soac) => {
                    let Hist { lambda, inputs, .. } = $($borrow)* **soac;
                    Some((lambda, inputs.$iter().map(Some).collect()))
                }
                Expr::FlatMap(soac) => {
                    let FlatMap { lambda, inputs, .. } = $($borrow)* **soac;
                    Some((lambda, inputs.$iter().map(Some).collect()))
                }
                Expr::Stream(soac) => {
                    let Stream { lambda, inputs, accs, kind, .. } = $($borrow)* **soac;
                    let accs = accs.$iter().map(|acc| match (acc, $($borrow)* *kind) {
                        (Operand::Var(acc), StreamKind::Seq) => Some(acc),
                        (Operand::Var(_) | Operand::Const(_), _) => None,
                    });
                    let parts = [None, None].into_iter().chain(accs).chain(inputs.$iter().map(Some));
                    Some((lambda, parts.collect()))
                }
                Expr::Operand(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Ternary(..)
                | Expr::Compare(..)
                | Expr::Convert(..)
                | Expr::Select(..)
                | Expr::Assert { .. }
                | Expr::Index { .. }
                | Expr::Slice { .. }
                | Expr::Update { .. }
                | Expr::Iota { .. }
                | Expr::Replicate { .. }
                | Expr::ArrayLit(_)
                | Expr::Concat { .. }
                | Expr::Rearrange { .. }
                | Expr::Reshape { .. }
                | Expr::Copy(_)
                | Expr::Manifest { .. }
                | Expr::Scratch { .. }
                | Expr::If { .. }
                | Expr::Loop { .. }
                | Expr::Call { .. }
                | Expr::WithAcc(_)
                | Expr::UpdateAcc { .. }
                | Expr::Seg(_)
                | Expr::Tuned { .. }
                | Expr::Alloc { .. } => None,
            }
        }
    };
}

impl Expr {
    consumed! {
        /// Calls `f` with every array and accumulator that the expression consumes itself; `takes` tells which arguments a
        /// function consumes. Inputs whose parts a lambda consumes ([`Expr::parts`]) are not included.
        for_each_consumed [&] iter
    }

    consumed! {
        /// Like [`Expr::for_each_consumed`], with mutable references.
        for_each_consumed_mut [&mut] iter_mut
    }

    parts! {
        /// Returns the lambda of a SOAC that gets parts of arrays (elements, chunks, or accumulators passed on by earlier
        /// chunks), and for each of its parameters the array that the parameter is a part of.
        parts [&] iter
    }

    parts! {
        /// Like [`Expr::parts`], with mutable references.
        parts_mut [&mut] iter_mut
    }

    /// Returns the array that the expression is a view of, or another name of.
    pub fn viewed(&self) -> Option<Var> {
        match self {
            Expr::Operand(operand) => operand.as_var(),
            Expr::Index { array, .. }
            | Expr::Slice { array, .. }
            | Expr::Rearrange { array, .. }
            | Expr::Reshape { array, .. } => Some(*array),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Scratch { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
            | Expr::Call { .. }
            | Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::FlatMap(_)
            | Expr::UpdateAcc { .. }
            | Expr::Seg(_)
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => None,
        }
    }
}
