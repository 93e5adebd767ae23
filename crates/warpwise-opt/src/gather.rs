//! Replaces partitions that keep rows of arrays, on devices: the rows' indices are kept, and the rows are gathered afterwards.
//!
//! ```text
//! k: i64, ys: [k][m]f32 = partition n (xs) classes 1 (x: [m]f32) { ...; return c, x };
//! ==>
//! at: [n]i64 = iota n;
//! k: i64, kept: [k]i64 = partition n (xs, at) classes 1 (x: [m]f32, i: i64) { ...; return c, i };
//! ys: [k][m]f32 = screma k (kept) map (i: i64) { y: [m]f32 = index xs[i]; return y };
//! ```
//!
//! A device partitions scalars with many work-items, but rows can have any size. Operations on the kept rows fuse with the
//! gathering, so that the rows are often not copied at all. Rows that the lambda computes are first computed to arrays, all of
//! them. Scalars are partitioned as before.
//!
//! After: partitions in host code keep only scalars. Not done here: partitions inside maps.

use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Partition, Program, Screma, Stm, Type, Var, exprs};

use crate::pass::rewrite_bodies;

/// Rewrites the partitions in host code of every function.
pub fn gather(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, host_body);
    Ok(())
}

fn host_body(function: &mut Function, body: &mut Body) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if let Expr::If { .. } | Expr::Loop { .. } = stm.expr {
            stm.expr.for_each_body_mut(|body| host_body(function, body));
        }
        match stm.expr {
            Expr::Partition(soac) if keeps_rows(function, &soac) => {
                let mut b = Builder::new(function);
                b.set_span(stm.span);
                b.with_certs(&stm.certs, |b| {
                    let soac = computed_first(b, *soac);
                    by_indices(b, &stm.pattern, soac);
                });
                stms.extend(b.take_stms());
            }
            expr @ exprs!(simple, nested) => stms.push(Stm { expr, ..stm }),
        }
    }
    body.stms = stms;
}

fn keeps_rows(function: &Function, soac: &Partition) -> bool {
    soac.lambda.body.result.iter().any(|&x| function.operand_type(x).rank() > 0)
}

/// Returns the input that a value is an element of, if there is one.
fn source(inputs: &[Var], lambda: &Lambda, value: Operand) -> Option<Var> {
    let at = lambda.params.iter().position(|&param| value == param.into())?;
    Some(inputs[at])
}

/// Returns the partition, after a map that computes the kept rows that are not elements of inputs.
fn computed_first(b: &mut Builder, soac: Partition) -> Partition {
    let Partition { width, inputs, classes, lambda: mut map } = soac;
    let results = map.body.result.clone();
    let sources: Vec<Option<Var>> = results.iter().map(|&x| source(&inputs, &map, x)).collect();
    let types: Vec<Type> = results.iter().map(|&x| b.function.operand_type(x)).collect();
    if types.iter().zip(&sources).all(|(ty, source)| ty.rank() == 0 || source.is_some()) {
        return Partition { width, inputs, classes, lambda: map };
    }
    let computed = results.iter().zip(&sources).filter(|(_, source)| source.is_none());
    map.body.result = computed.map(|(&x, _)| x).collect();
    let mut mapped = b.map("mapped", width, &inputs, map).into_iter();
    let inputs = sources.into_iter().filter_map(|source| source.or_else(|| mapped.next())).collect();
    Partition { width, inputs, classes, lambda: b.identity(&types) }
}

/// Emits the partition of scalars and indices, and the rows of each class.
fn by_indices(b: &mut Builder, pattern: &[Var], soac: Partition) {
    let Partition { width, mut inputs, classes, mut lambda } = soac;
    let kept = lambda.body.result.split_off(classes);
    let row = |&x: &Operand| match b.function.operand_type(x).rank() {
        0 => None,
        _ => source(&inputs, &lambda, x),
    };
    let rows: Vec<Option<Var>> = kept.iter().map(row).collect();
    let (start, step) = (Operand::i64(0), Operand::i64(1));
    inputs.push(b.bind_one("at", Expr::Iota { len: width, start, step }));
    let index = b.function.fresh("i", Type::I64);
    lambda.params.push(index);
    let scalars = kept.iter().zip(&rows).filter(|(_, row)| row.is_none());
    lambda.body.result.extend(scalars.map(|(&x, _)| x));
    lambda.body.result.push(index.into());

    let (sizes, arrays) = pattern.split_at(classes);
    let (mut bound, mut gathers) = (sizes.to_vec(), Vec::new());
    for (&size, own) in sizes.iter().zip(arrays.chunks(kept.len())) {
        let indices = b.function.fresh("kept", Type::I64.array_of(&[size.into()]));
        let own = || own.iter().copied().zip(rows.iter().copied());
        bound.extend(own().filter_map(|(array, row)| row.is_none().then_some(array)));
        bound.push(indices);
        let gathered: Vec<(Var, Var)> = own().filter_map(|(array, row)| Some((array, row?))).collect();
        gathers.push((indices, size, gathered));
    }
    b.bind_to(bound, Expr::Partition(Box::new(Partition { width, inputs, classes, lambda })));
    for (indices, size, gathered) in gathers {
        gather_rows(b, indices, size, gathered);
    }
}

/// Binds each array to the rows of its source at these indices.
fn gather_rows(b: &mut Builder, indices: Var, width: Var, gathered: Vec<(Var, Var)>) {
    let (arrays, sources): (Vec<Var>, Vec<Var>) = gathered.into_iter().unzip();
    let map = b.lambda(&[("i", Type::I64)], |b, i| {
        sources.iter().map(|&source| b.index("row", source, &[i[0].into()]).into()).collect()
    });
    let (width, inputs) = (width.into(), vec![indices]);
    let soac = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
    b.bind_to(arrays, Expr::Screma(Box::new(soac)));
}
