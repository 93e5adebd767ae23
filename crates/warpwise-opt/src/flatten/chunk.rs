//! A function of one element as a function of many: what a chunk of a sequence runs.
//!
//! ```text
//! fun f(n: i64, xs: [n]f32) -> (s: f32, k: i64, ys: [k]f32)
//! ==> where n is one for all elements, and k follows from n
//! fun f_chunk(width: i64, n: i64, xs: [width][n]f32) -> (k: i64, s: [width]f32, k: i64, ys: [width][k]f32)
//! ==> where n differs
//! fun f_chunk(width: i64, total: i64, ns: [width]i64, starts: [width]i64, data: [total]f32)
//!   -> (total: i64, s: [width]f32, ks: [width]i64, starts: [width]i64, data: [total]f32)
//! ```
//!
//! Sizes come before all else, as in the signature of an entry point. Unlike a function that is called in parallel
//! ([`super::calls`]), what comes out is regular wherever its sizes are found to be the same for all elements.
//!
//! What is the same for all elements and may fail stands before the elements where there is one for certain. Needs: no
//! calls inside. Not done here: deciding which elements are together.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Expr, Function, FunctionId, Operand, Program, Stm, Type, Var};
use warpwise_prim::BinaryOp;

use super::body::Result as Known;
use super::calls::{Folds, Functions, TakenAs, parameters, taken_as};
use super::lifter::{Form, Lifted, Lifter, Segments, Unlifted};

/// A function over the elements of a chunk.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// It calls nothing.
    pub function: Function,
    /// How many of its parameters, and of its results, are sizes; they come first.
    pub sizes: (usize, usize),
    /// How it takes each parameter of the function of one element.
    pub params: Vec<TakenAs>,
    /// Where its parameters stood before sizes were put first: the number of elements, then the parts of each parameter.
    pub order: Vec<usize>,
    /// How it gives each result of the function of one element.
    pub results: Vec<GivenAs>,
}

impl Chunk {
    /// Whether its first parameter after the sizes is the number of elements: it is no size of anything that is given.
    pub fn is_counted(&self) -> bool {
        self.order.get(self.sizes.0) == Some(&0)
    }
}

/// How a parameter of the function of one element differs from element to element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Varies {
    /// It is one value for all elements.
    Never,
    /// It is an i64, one more than that of the element before: the chunk takes that of the first element.
    ByOne,
    /// It may be anything.
    Freely,
}

/// How a chunk gives a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenAs {
    /// A scalar that is one for all elements.
    Avoided,
    /// With one more dimension.
    Regular,
    /// Where each element's part begins, and all parts; their total is among the sizes.
    Segments,
}

/// The function over many elements that does to each what a function does; `varies` says of each of its parameters how it
/// differs from element to element, and `some` whether there is an element for certain. Fails with a located limit where
/// something has no such form.
pub fn chunk(
    program: &Program,
    function: FunctionId,
    varies: &[Varies],
    folds: Folds,
    some: bool,
) -> Result<Chunk, Limit> {
    let mut functions = Functions::of(program);
    (functions.folds, functions.some) = (folds, some);
    let limit =
        |Unlifted { what, span }| Limit { message: format!("{what} over many elements at once"), span };
    lifted(&mut functions, &program.functions[function], varies).map_err(limit)
}

fn lifted(functions: &mut Functions, callee: &Function, varies: &[Varies]) -> Lifted<Chunk> {
    let mut function = Function { span: callee.span, ..Function::new(&format!("{}_chunk", callee.name)) };
    let avoided: Vec<bool> = varies.iter().map(|varies| *varies != Varies::Freely).collect();
    let params = taken_as(callee, &avoided);
    let width = function.param("width", Type::I64, false);
    let mut copier = Copier::between(callee, &mut function, Substitution::new());
    let mut vars: Vec<Var> = callee.params.iter().map(|param| copier.copy_binding(param.var)).collect();
    let mut body = copier.copy_body(&callee.body);
    let mut positions = Vec::new();
    for (var, _) in vars.iter_mut().zip(varies).filter(|(_, varies)| **varies == Varies::ByOne) {
        let first = function.fresh("first", Type::I64);
        let position = function.fresh("position", Type::I64);
        let number = std::mem::replace(var, first);
        let expr = Expr::Binary(BinaryOp::Add, first.into(), position.into());
        body.stms.insert(0, Stm { pattern: vec![number], expr, certs: Vec::new(), span: callee.span });
        positions.push((position, Form::Position));
    }
    let known = parameters(&mut function, &vars, &params, width);
    let mut lifter = Lifter::new(&mut function, functions, width.into());
    lifter.span = callee.span;
    known.into_iter().chain(positions).for_each(|(var, form)| lifter.set(var, form));
    lifter.stms(&body)?;
    let is_common: Vec<bool> = body.result.iter().map(|&x| is_common(&lifter, x)).collect();
    let varying: Vec<Operand> =
        body.result.iter().zip(&is_common).filter(|(_, common)| !**common).map(|(&x, _)| x).collect();
    let mut given = lifter.results(&varying)?.into_iter();
    if lifter.has_checks() {
        return lifter.unlifted("a check of which nothing is kept");
    }
    lifter.end();
    let stms = std::mem::take(&mut lifter.out);
    let mut values = Vec::new();
    let mut results = Vec::new();
    for (&operand, common) in body.result.iter().zip(is_common) {
        results.push(match if common { None } else { given.next() } {
            None => {
                values.push(operand);
                GivenAs::Avoided
            }
            Some(Known::Regular(array)) => {
                values.push(array.into());
                GivenAs::Regular
            }
            Some(Known::Irregular(Segments { starts, data, .. })) => {
                values.extend([Operand::Var(starts), data.into()]);
                GivenAs::Segments
            }
        });
    }
    let (order, size_params) = sizes_first(&mut function);
    let mut b = Builder::new(&mut function);
    b.extend(stms);
    let mut all = unknown_sizes(b.function, &values);
    let size_results = all.len();
    all.extend(values);
    let unique = vec![false; all.len()];
    b.finish(all, &unique);
    Ok(Chunk { function, sizes: (size_params, size_results), params, order, results })
}

/// Whether a result is one scalar for all elements.
fn is_common(lifter: &Lifter, operand: Operand) -> bool {
    lifter.function.operand_type(operand).rank() == 0 && lifter.avoided(operand)
}

/// Puts the parameters first that are sizes of others; yields where each stood, and how many sizes there are.
fn sizes_first(function: &mut Function) -> (Vec<usize>, usize) {
    let mut sizes: FxHashSet<Var> = FxHashSet::default();
    for param in &function.params {
        sizes.extend(function.ty(param.var).shape().iter().filter_map(|size| size.as_var()));
    }
    let mut order: Vec<usize> = (0..function.params.len()).collect();
    order.sort_by_key(|&at| !sizes.contains(&function.params[at].var));
    function.params = order.iter().map(|&at| function.params[at]).collect();
    let count = function.params.iter().filter(|param| sizes.contains(&param.var)).count();
    (order, count)
}

/// The sizes of results that no parameter gives.
fn unknown_sizes(function: &Function, values: &[Operand]) -> Vec<Operand> {
    let is_param = |var: Var| function.params.iter().any(|param| param.var == var);
    let mut sizes = Vec::new();
    for &value in values {
        for &size in function.operand_type(value).shape() {
            if size.as_var().is_some_and(|var| !is_param(var)) && !sizes.contains(&size) {
                sizes.push(size);
            }
        }
    }
    sizes
}
