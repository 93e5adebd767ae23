//! Turns a function of one element into a function of many, to run a chunk of a sequence.
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
//! Sizes come first, as in the signature of an entry point. Unlike for a function that is called in parallel ([`super::calls`]),
//! a result is regular whenever its sizes turn out to be the same for all elements.
//!
//! If there is certainly an element, code that may fail but is the same for all elements runs once, before the elements. Needs:
//! no calls inside. Not done here: deciding which elements form a chunk.

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
    /// The function. It contains no calls.
    pub function: Function,
    /// Number of leading parameters, and of leading results, that are sizes.
    pub sizes: (usize, usize),
    /// The form of each parameter of the function of one element.
    pub params: Vec<TakenAs>,
    /// For each parameter, its position before sizes were moved to the front. The former order is the number of elements, then the
    /// components of each parameter.
    pub order: Vec<usize>,
    /// The form of each result of the function of one element.
    pub results: Vec<GivenAs>,
}

impl Chunk {
    /// Whether the first parameter after the sizes is the number of elements, which then is not a size of any parameter.
    pub fn is_counted(&self) -> bool {
        self.order.get(self.sizes.0) == Some(&0)
    }
}

/// The variation of a parameter of the function of one element between elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Varies {
    /// One value for all elements.
    Never,
    /// An i64 that is one more than for the preceding element. The chunk takes the value for the first element.
    ByOne,
    /// Any values.
    Freely,
}

/// The form in which a chunk returns a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenAs {
    /// A scalar that is the same for all elements.
    Avoided,
    /// An array with one more dimension.
    Regular,
    /// The start of each element's segment, and the concatenated segments. Their total length is among the sizes.
    Segments,
}

/// Returns the function that applies a function to many elements. `varies` gives the variation of each parameter between
/// elements, and `some` whether there is certainly an element. Fails with a located limit if a construct has no such form.
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
        return lifter.unlifted("a check without a kept value");
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

/// Whether a result is a scalar that is the same for all elements.
fn is_common(lifter: &Lifter, operand: Operand) -> bool {
    lifter.function.operand_type(operand).rank() == 0 && lifter.avoided(operand)
}

/// Moves parameters that are sizes of others to the front. Returns the former position of each parameter, and the number of
/// sizes.
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

/// Returns the sizes of results that are not parameters.
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
