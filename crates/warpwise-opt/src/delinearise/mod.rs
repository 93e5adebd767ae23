//! Gives flat ranges whose points compute quotients and remainders of their index one dimension for each digit.
//!
//! ```text
//! ys: [n]f32 = segmap (k < n: seq) {
//!   i = sdiv k w; j = smod k w;
//!   ...; return y };
//! ==>
//! ... whole: bool = 16 <= w and (n / w) * w == n ...
//! ys: [n]f32 = if whole {
//!   rows: [h][w]f32 = segmap (i < h: seq, j < w: seq) {
//!     at = mul i w; k = add at j;
//!     ...; return y };
//!   flat: [n]f32 = reshape [n] rows;
//!   return flat
//! } else { ys = ... as it was ...; return ys };
//! ```
//!
//! Programs that keep matrices in flat arrays are written this way. In lanes a division takes tens of cycles, and what is loaded at
//! places computed from quotients and remainders is gathered, although it lies side by side.
//!
//! Maps, histograms and scatters get a space of several dimensions, and reductions become reductions of rows, in the same order.
//! [`mod@digits`] finds the divisors: products of values from outside ([`products`]). Divisors of 32 bits are known to be right for up to
//! 2^31 points. Positive divisors are divisors with and without a sign, so every division of one index is of the same kind.
//!
//! A divisor must divide the number of points, and there must be few rows of less than [`LEAST`] points, for which a nest is
//! slower. Both are tested when the program runs, unless all numbers are known. Programs full of flat indices would be compiled twice,
//! so only a divisor that is likely to divide the number of points counts: the number is a product with it, or both the quotient
//! and the remainder are computed.
//!
//! Sums of floats depend on the tree that combines them, and must not depend on the chunks in which arrays come. So reductions of
//! floats stay flat if each point reads its element of an array.
//!
//! Needs dimensions that have not been scheduled. Not done here: scans, reductions that yield arrays besides their values, operators
//! that may fail, bodies that overwrite rows of their arrays, operations inside others, devices.

use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::{
    Body, Branch, Expr, Function, Mapping, Operand, Program, Reduce, SegDim, SegKind, SegOp, Stm, Type, Var,
    exprs,
};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use crate::pass::rewrite_bodies;
use crate::schedule::versions::statements;
use checks::{Check, checks};
use digits::{Digits, digits};
use nest::Radix;
use products::{Definitions, Product};

mod checks;
mod digits;
mod nest;
mod products;

/// Minimum number of points of a row. Nests of shorter rows take up to seventeen times as long as flat ranges.
const LEAST: i64 = 16;

/// Maximum number of statements of a body that is compiled twice.
const MOST_STATEMENTS: usize = 100;

/// Rewrites the host code of every function.
pub fn delinearise(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| walk(function, &mut Definitions::default(), body));
    Ok(())
}

fn walk(function: &mut Function, outside: &mut Definitions, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        outside.note(&stm);
        match &mut stm.expr {
            Expr::Seg(op) => match Plan::of(function, outside, op) {
                Some(plan) => body.stms.extend(versions(function, outside, stm, &plan)),
                None => body.stms.push(stm),
            },
            expr @ exprs!(simple, If, Loop, soac) => {
                expr.for_each_body_mut(|body| walk(function, outside, body));
                body.stms.push(stm);
            }
        }
    }
}

/// The decomposition of the flat range of an operation.
struct Plan {
    op: SegOp,
    dim: SegDim,
    digits: Digits,
    /// The number of digits that the last dimension of the nest consists of.
    in_row: usize,
    /// The number of rows, or of whatever the first digit counts, as a product.
    first: Option<Product>,
    /// The checks of places that have digits.
    checks: Vec<Check>,
}

impl Plan {
    fn of(function: &Function, outside: &Definitions, op: &SegOp) -> Option<Plan> {
        let [dim] = op.space[..] else { return None };
        if dim.mapping == Mapping::Task || !has_nest(function, op) || statements(&op.body) > MOST_STATEMENTS {
            return None;
        }
        let points = outside.product(function, dim.extent).map(|(points, _)| points);
        let digits = digits(function, outside, (dim.index, &op.body), points.as_ref())?;
        let in_row = 1 + digits.cuts.iter().position(|cut| cut.as_number().is_none_or(|n| n >= LEAST))?;
        let first = points.and_then(|points| points.over(digits.cuts.last()?));
        let dims: Vec<Product> =
            std::iter::once(Product::one()).chain(digits.cuts[in_row - 1..].iter().cloned()).collect();
        let mut checks = checks(function, outside, (dim.index, &op.body), &digits, &dims);
        if let (Some(points), Some(_)) = (as_number(dim.extent), digits.cuts.last()?.as_number()) {
            checks.retain(|check| as_number(check.size).is_some_and(|size| points <= size));
        }
        Some(Plan { op: op.clone(), dim, digits, in_row, first, checks })
    }
}

/// Whether an operation over a range can be one over several dimensions.
fn has_nest(function: &Function, op: &SegOp) -> bool {
    let are_values = op.body.result.iter().all(|&x| match function.operand_type(x) {
        Type::Scalar(_) | Type::Array(_) => true,
        Type::Acc(_) | Type::Cert | Type::Mem => false,
    });
    let takes_rows = op.body.stms.iter().any(|stm| match &stm.expr {
        Expr::Index { indices, .. } => {
            indices[..] == [op.space[0].index.into()] && function.ty(stm.pattern[0]).rank() > 0
        }
        exprs!(
            Operand, scalar, Assert, Slice, Rearrange, Reshape, Update, fresh, nested, Call, UpdateAcc,
            Tuned, Alloc
        ) => false,
    });
    let has_nest = match &op.kind {
        SegKind::Map | SegKind::Hist { .. } => true,
        SegKind::Scatter { dests } => dests.iter().all(|dest| !dest.segments),
        SegKind::Reduce { reduces } => {
            let are_scalars = |x: &Operand| function.operand_type(*x).rank() == 0;
            op.body.result.len() == op.kind.n_reduced()
                && reduces
                    .iter()
                    .all(|reduce| !reduce.op.body.can_fail() && reduce.neutral.iter().all(are_scalars))
                && !(combines_floats(function, reduces) && reads_elements(op))
        }
        SegKind::Scan { .. } | SegKind::Partition { .. } => false,
    };
    are_values && !takes_rows && has_nest
}

fn combines_floats(function: &Function, reduces: &[Reduce]) -> bool {
    let is_float = |x: &Operand| function.operand_type(*x).as_scalar().is_some_and(ScalarType::is_float);
    reduces.iter().flat_map(|reduce| &reduce.neutral).any(is_float)
}

/// Whether each point reads its own element of an array. Such arrays may come in chunks.
fn reads_elements(op: &SegOp) -> bool {
    let own = [Operand::Var(op.space[0].index)];
    op.body.stms.iter().any(|stm| matches!(&stm.expr, Expr::Index { indices, .. } if indices[..] == own))
}

/// Returns the choice between the nest and the original, or the nest alone if it is known to be right.
fn versions(function: &mut Function, outside: &Definitions, stm: Stm, plan: &Plan) -> Vec<Stm> {
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let (radix, test) = tested(&mut b, plan);
    match test {
        Test::Fails => return vec![stm],
        Test::Holds => {
            let results = nest::nest(&mut b, outside, &stm, plan, &radix);
            for (&var, result) in stm.pattern.iter().zip(results) {
                b.bind_to(vec![var], Expr::Operand(result));
            }
        }
        Test::Runs(cond) => {
            let then_body = b.body(|b| nest::nest(b, outside, &stm, plan, &radix));
            let flat: Vec<Var> = stm.pattern.iter().map(|&var| b.function.fresh_like(var)).collect();
            let result = flat.iter().map(|&var| var.into()).collect();
            let else_body = Body { stms: vec![Stm { pattern: flat, ..stm.clone() }], result };
            b.bind_to(stm.pattern, Expr::If { cond, then_body, else_body, branch: Branch::Plain });
        }
    }
    b.take_stms()
}

/// The test whether a nest computes the same as a flat range, and fast.
enum Test {
    Holds,
    Fails,
    Runs(Operand),
}

/// Emits the sizes of the digits and the test.
///
/// With sizes `s`, `t`, ... the number of points is divided by `s`, then by `t`, and so on. If nothing remains and the sizes are
/// positive, no product of them exceeds the number of points, so that none has wrapped.
fn tested(b: &mut Builder, plan: &Plan) -> (Radix, Test) {
    let Plan { dim, digits: Digits { cuts, is_narrow, .. }, in_row, first, checks, .. } = plan;
    let ends = std::iter::once(Product::one()).chain(cuts.iter().cloned());
    let products: Vec<Product> =
        ends.zip(cuts).map(|(low, high)| high.over(&low).expect("cuts are a chain")).collect();
    if let (Some(points), Some(known)) = (as_number(dim.extent), numbers(&products)) {
        let whole: i64 = known.iter().product();
        let fits = !is_narrow || i32::try_from(points).is_ok();
        let test = if points % whole == 0 && fits { Test::Holds } else { Test::Fails };
        let sizes = known.into_iter().map(Operand::i64).collect();
        return (Radix { sizes, first: Operand::i64(points / whole), in_row: *in_row }, test);
    }
    let sizes: Vec<Operand> = products.iter().map(|product| product.value(b)).collect();
    let mut conds = Vec::new();
    let row = sizes[..*in_row].iter().copied().reduce(|x, y| b.binary("row", BinaryOp::Mul, y, x));
    conds.push(b.compare("long", CompareOp::SLe, LEAST, row.expect("a row has a digit")));
    let mut left = dim.extent;
    for (digit, &size) in sizes.iter().enumerate() {
        if digit > 0 || *in_row > 1 {
            conds.push(b.compare("positive", CompareOp::SLe, 1, size));
        }
        let by = b.binary("by", BinaryOp::SMax, size, 1);
        let quotient = b.binary("rows", BinaryOp::SDiv, left, by);
        let points = b.binary("points", BinaryOp::Mul, quotient, size);
        conds.push(b.compare("whole", CompareOp::Eq, points, left));
        left = quotient;
    }
    if let Some(first) = first {
        let value = first.value(b);
        conds.push(b.compare("whole", CompareOp::Eq, left, value));
        left = value;
    }
    // Later passes prove that indices modulo this number are in bounds.
    conds.push(b.compare("positive", CompareOp::SLe, 1, left));
    if *is_narrow {
        conds.push(b.compare("narrow", CompareOp::SLe, dim.extent, i64::from(i32::MAX)));
    }
    for (position, check) in checks.iter().enumerate() {
        let is_first = checks[..position].iter().all(|earlier| earlier.size != check.size);
        if is_first && check.size != dim.extent {
            conds.push(b.compare("enough", CompareOp::SLe, dim.extent, check.size));
        }
    }
    let cond = conds.into_iter().reduce(|x, y| b.binary("whole", BinaryOp::And, x, y));
    (Radix { sizes, first: left, in_row: *in_row }, Test::Runs(cond.expect("there is a digit")))
}

fn as_number(x: Operand) -> Option<i64> {
    x.as_const()?.as_int()
}

fn numbers(products: &[Product]) -> Option<Vec<i64>> {
    products.iter().map(Product::as_number).collect()
}
