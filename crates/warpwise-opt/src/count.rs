//! Replaces filtering by counting: partitions whose elements are only counted or reduced become reductions.
//!
//! ```text
//! k: i64, ys: [k]f32 = partition n (xs) classes 1 (x: f32) { ...; return c, y };
//! s: f32 = screma k (ys) map (y: f32) { ...; return z } reduce (op) [e];
//! ==>
//! k: i64, s: f32 = screma n (xs) map (x: f32) {
//!   ...; one: i64 = zext c : i64;
//!   z: f32 = if c { ...; return z } else { return e };
//!   return one, z
//! } reduce (add) [0] reduce (op) [e];
//! ```
//!
//! The neutral element stands for the elements that the partition leaves out. So no element is moved, and no array has the length
//! of the kept elements. Inside a map the nest thus becomes regular.
//!
//! Needs: the kept elements are read by a single statement, as after `fuse`, which reduces scalars. At most one of the partition
//! and this statement has checks that may fail, so that the first failing check stays the first.
//! Not done here: partitions whose elements are kept, and reductions of rows.

use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{
    Body, Branch, Expr, Function, Lambda, Operand, Partition, Program, Reduce, Screma, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType, UnaryOp};

use crate::pass::rewrite_bodies;

/// Rewrites the partitions of every function.
pub fn count(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, count_body);
    Ok(())
}

fn count_body(function: &mut Function, body: &mut Body) {
    for stm in &mut body.stms {
        stm.expr.for_each_body_mut(|body| count_body(function, body));
    }
    for at in (0..body.stms.len()).rev() {
        let Some(reduced) = reduced(function, body, at) else { continue };
        // The consumer is after the partition, so its removal leaves `at` valid.
        let consumer = reduced.map(|(class, position)| (class, body.stms.remove(position)));
        let partition = std::mem::replace(&mut body.stms[at], nothing());
        let stms = as_reduction(function, partition, consumer);
        body.stms.splice(at..=at, stms);
    }
}

/// Returns how the partition at `at` can become a reduction, if it can. The result is the class that a statement reduces and the
/// position of the statement; the inner option is `None` if elements are only counted.
fn reduced(function: &Function, body: &Body, at: usize) -> Option<Option<(usize, usize)>> {
    let Expr::Partition(soac) = &body.stms[at].expr else { return None };
    let arrays = &body.stms[at].pattern[soac.classes..];
    if body.result.iter().any(|x| x.as_var().is_some_and(|var| arrays.contains(&var))) {
        return None;
    }
    let later = body.stms.iter().enumerate().skip(at + 1);
    let mut readers =
        later.filter(|(_, stm)| free_in_expr(function, &stm.expr).iter().any(|var| arrays.contains(&var)));
    let Some((position, reader)) = readers.next() else { return Some(None) };
    if readers.next().is_some() {
        return None;
    }
    let Expr::Screma(consumer) = &reader.expr else { return None };
    let class = reduced_class(function, &body.stms[at].pattern, soac, consumer)?;
    // The consumer moves up to the partition.
    let between = &body.stms[at + 1..position];
    let bound_between = |var: &Var| between.iter().any(|stm| stm.pattern.contains(var));
    let stays = free_in_expr(function, &reader.expr).iter().any(|var| bound_between(&var))
        || reader.certs.iter().any(bound_between);
    (!stays).then_some(Some((class, position)))
}

/// Returns the class that a SOAC reads, if it reads only elements of that class and only reduces them to scalars.
fn reduced_class(function: &Function, pattern: &[Var], soac: &Partition, consumer: &Screma) -> Option<usize> {
    let (sizes, arrays) = pattern.split_at(soac.classes);
    let class = sizes.iter().position(|&size| consumer.width == size.into())?;
    let n_values = arrays.len() / soac.classes;
    let own = &arrays[class * n_values..(class + 1) * n_values];
    let only_reduces = consumer.scans.is_empty()
        && consumer.post.is_none()
        && consumer.map.body.result.len() == consumer.n_reduced()
        && consumer.map.body.result.iter().all(|&x| function.operand_type(x).rank() == 0);
    let lambdas = || consumer.reduces.iter().map(|reduce| &reduce.op).chain([&consumer.map]);
    // The sizes and arrays of the partition do not exist before the fused statement, so the consumer must not read them
    // otherwise.
    let reads_partition = |lambda: &Lambda| {
        let free = warpwise_ir::traverse::free_in_lambda(function, lambda);
        free.iter().any(|var| pattern.contains(&var))
    };
    let mut neutral = consumer.reduces.iter().flat_map(|reduce| &reduce.neutral);
    let begins_with_size = neutral.any(|x| x.as_var().is_some_and(|var| pattern.contains(&var)));
    let fails = consumer.reduces.iter().any(|reduce| reduce.op.body.can_fail())
        || (consumer.map.body.can_fail() && soac.lambda.body.can_fail());
    let fits = only_reduces
        && !fails
        && consumer.inputs.iter().all(|input| own.contains(input))
        && !begins_with_size
        && !lambdas().any(reads_partition);
    fits.then_some(class)
}

/// Replaces a partition by reductions: the sizes of its classes, and the results of `consumer`, which reduces one of them.
fn as_reduction(function: &mut Function, partition: Stm, consumer: Option<(usize, Stm)>) -> Vec<Stm> {
    let Stm { mut pattern, expr, mut certs, span } = partition;
    let Expr::Partition(soac) = expr else { unreachable!("a partition") };
    let Partition { width, inputs, classes, lambda } = *soac;
    let arrays = pattern.split_off(classes);
    let consumer = consumer.map(|(class, stm)| {
        let Expr::Screma(consumer) = stm.expr else { unreachable!("a SOAC that reduces") };
        pattern.extend(stm.pattern);
        certs.extend(stm.certs);
        (class, *consumer)
    });
    certs.sort_unstable();
    certs.dedup();
    let mut b = Builder::new(function);
    b.set_span(span);
    let params: Vec<(&str, Type)> =
        lambda.params.iter().map(|&param| ("x", b.function.ty(param).clone())).collect();
    let map = b.lambda(&params, |b, elements| {
        let elements: Vec<Operand> = elements.iter().map(|&element| element.into()).collect();
        let mut results = b.apply(&lambda, &elements);
        let values = results.split_off(classes);
        let joins = joins(b, &results);
        let mut results: Vec<Operand> =
            joins.iter().map(|&join| b.convert("one", ConvertOp::ZExt, join, ScalarType::I64)).collect();
        if let Some((class, consumer)) = &consumer {
            let own = &arrays[class * values.len()..(class + 1) * values.len()];
            let value = |input: &Var| values[own.iter().position(|array| array == input).expect("its own")];
            let args: Vec<Operand> = consumer.inputs.iter().map(value).collect();
            results.extend(guarded(b, joins[*class], consumer, &args));
        }
        results
    });
    let mut reduces = Vec::new();
    for _ in 0..classes {
        let op = b.operator(BinaryOp::Add, ScalarType::I64);
        reduces.push(Reduce { op, neutral: vec![Operand::i64(0)], commutative: true });
    }
    reduces.extend(consumer.into_iter().flat_map(|(_, consumer)| consumer.reduces));
    let soac = Screma { width, inputs, map, scans: Vec::new(), reduces, post: None };
    let mut stms = b.take_stms();
    stms.push(Stm { pattern, expr: Expr::Screma(Box::new(soac)), certs, span });
    stms
}

/// Returns the membership of an element in each class. It joins the first class whose condition holds.
fn joins(b: &mut Builder, conds: &[Operand]) -> Vec<Operand> {
    let mut taken: Option<Operand> = None;
    let mut joins = Vec::new();
    for &cond in conds {
        let join = match taken {
            None => cond,
            Some(taken) => {
                let free = b.unary("free", UnaryOp::Not, taken);
                b.binary("join", BinaryOp::And, cond, free)
            }
        };
        taken = Some(taken.map_or(cond, |taken| b.binary("taken", BinaryOp::Or, taken, cond)));
        joins.push(join);
    }
    joins
}

/// Returns the values that a SOAC reduces for elements that join, and neutral elements for all others.
fn guarded(b: &mut Builder, join: Operand, consumer: &Screma, args: &[Operand]) -> Vec<Operand> {
    let neutral: Vec<Operand> = consumer.reduces.iter().flat_map(|reduce| reduce.neutral.clone()).collect();
    if consumer.map.body.stms.is_empty() {
        let values = b.apply(&consumer.map, args);
        let pairs = values.into_iter().zip(neutral);
        return pairs.map(|(value, neutral)| b.select("kept", join, value, neutral)).collect();
    }
    let then_body = b.body(|b| b.apply(&consumer.map, args));
    let else_body = Body { stms: Vec::new(), result: neutral };
    let choice = Expr::If { cond: join, then_body, else_body, branch: Branch::Plain };
    b.bind("kept", choice).into_iter().map(Operand::from).collect()
}

/// Returns a placeholder for a statement that has been taken out.
fn nothing() -> Stm {
    let expr = Expr::Operand(Operand::bool(false));
    Stm { pattern: Vec::new(), expr, certs: Vec::new(), span: warpwise_diag::Span::NONE }
}
