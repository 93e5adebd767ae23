//! Random well-formed programs with inputs, for tests of consumers of the core IR (feature `generate`).
//!
//! [`generate`] is a function of the seed and the options, so that the seed identifies a failing case. A program has one entry
//! point `main` over a few scalars and arrays, and (with `calls`) a function that it calls. It verifies at level `soac`. Unless
//! `failing` checks are requested, running it on the [`Case::args`] never fails: indices are loop or map indices, or reduced
//! modulo a nonzero extent; divisors are odd; shapes come from sizes in scope. Extents are 0, 1 or small. Loops are short.
//!
//! Results do not depend on the order of evaluation: operators of reductions, scans, histograms and accumulators are associative
//! (and commutative where required) bit for bit, unless `float_sums` requests float additions; scatters write equal values to
//! equal indices. A program depends on NaNs only through operators that are defined on them.
//!
//! Absent: reads of unspecified contents, levels `seg` and `mem`.

mod arrays;
mod borders;
mod checks;
mod control;
mod random;
mod scalars;
mod scope;
mod small;
mod soacs;
mod updates;

use smallvec::SmallVec;
use warpwise_prim::{Scalar, ScalarType, ValueType};

use crate::builder::Builder;
use crate::program::{EntryParam, EntryPoint, EntryType, Function, Program, Var};
use crate::types::{Operand, Type};

pub use checks::Checks;
pub use random::Random;
use scope::Scope;

/// The constructs that programs may contain, and their size.
#[derive(Clone, Debug)]
pub struct Options {
    /// Approximate number of statements.
    pub statements: usize,
    /// Maximum nesting depth of bodies.
    pub nesting: usize,
    /// Whether there are values of type `f16`.
    pub f16: bool,
    /// Whether there are reductions and scans with float addition, whose results depend on the order.
    pub float_sums: bool,
    /// Whether there are `stream_map`, `stream_red` and `stream_seq`.
    pub streams: bool,
    /// Whether there are `with_acc` and `update_acc`.
    pub accumulators: bool,
    /// Whether there is `flatmap`.
    pub flat_maps: bool,
    /// Whether there is `partition`.
    pub partitions: bool,
    /// Whether there are `scatter` and `hist`.
    pub scatters: bool,
    /// Whether there are calls of a second function.
    pub calls: bool,
    /// Whether there are rows of arrays that are computed from rows of the same array.
    pub rows: bool,
    /// Whether there are maps that read neighbours, with borders.
    pub borders: bool,
    /// Whether there are maps that compute small arrays of known sizes.
    pub small: bool,
    /// Checks that may fail; none for programs that never fail.
    pub failing: Option<Checks>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            statements: 25,
            nesting: 3,
            f16: true,
            float_sums: false,
            streams: true,
            accumulators: true,
            flat_maps: true,
            partitions: true,
            scatters: true,
            calls: true,
            rows: false,
            borders: false,
            small: false,
            failing: None,
        }
    }
}

/// A program and one input for its entry point `main`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program; verified at level `soac`.
    pub program: Program,
    /// A value for each parameter of `main`, sizes included.
    pub args: Vec<Value>,
}

/// A scalar or an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The element type.
    pub elem: ScalarType,
    /// The extents; none for a scalar.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub data: Vec<Scalar>,
}

/// Generates a random program with an input.
pub fn generate(seed: u64, options: &Options) -> Case {
    let mut random = Random::new(seed);
    let mut program = Program::default();
    let mut checks = 0;
    if options.calls && random.chance(1, 2) {
        let size = options.statements / 3;
        let (helper, _) = function(("helper", size), &mut random, options, &program, &mut checks);
        program.functions.push(helper);
    }
    let (main, args) = function(("main", options.statements), &mut random, options, &program, &mut checks);
    program.functions.push(main);
    Case { program, args }
}

/// A generator of one function.
struct Generator<'g> {
    b: Builder<'g>,
    random: &'g mut Random,
    options: &'g Options,
    program: &'g Program,
    scope: Scope,
    /// Number of checks so far that may fail.
    checks: &'g mut usize,
    /// Number of statements left to make.
    fuel: usize,
    /// Number of enclosing bodies.
    nesting: usize,
}

fn function(
    (name, statements): (&str, usize),
    random: &mut Random,
    options: &Options,
    program: &Program,
    checks: &mut usize,
) -> (Function, Vec<Value>) {
    let mut function = Function::new(name);
    let (params, args) = parameters(&mut function, random, options);
    let b = Builder::new(&mut function);
    let scope = Scope::default();
    let mut generator =
        Generator { b, random, options, program, scope, checks, fuel: statements, nesting: 0 };
    generator.scope.sizes = [Operand::i64(0), Operand::i64(1), Operand::i64(3)].to_vec();
    for (var, is_size) in params {
        let consumed = generator.b.function.params.iter().any(|param| param.var == var && param.consumed);
        generator.scope.add_param(var, generator.b.function.ty(var).clone(), consumed);
        if is_size {
            generator.scope.sizes.push(var.into());
        }
    }
    while generator.fuel > 0 {
        generator.statement();
    }
    let (result, unique) = generator.results();
    generator.b.finish(result, &unique);
    if name == "main" {
        function.entry = Some(entry_point(&function));
    }
    (function, args)
}

/// Adds two sizes, then scalars and arrays over them; returns the parameters and their values.
fn parameters(
    function: &mut Function,
    random: &mut Random,
    options: &Options,
) -> (Vec<(Var, bool)>, Vec<Value>) {
    let (mut params, mut args, mut extents) = (Vec::new(), Vec::new(), Vec::new());
    for name in ["n", "m"] {
        let extent = random.pick(&[0usize, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17]);
        let var = function.param(name, Type::I64, false);
        let data = vec![Scalar::I64(extent as i64)];
        params.push((var, true));
        args.push(Value { elem: ScalarType::I64, shape: Vec::new(), data });
        extents.push((var, extent));
    }
    for _ in 0..2 + random.below(5) {
        let elem = scalars::scalar_type(random, options);
        let rank = random.pick(&[0usize, 1, 1, 1, 2, 2, 3]);
        let dims: SmallVec<[(Var, usize); 2]> = (0..rank).map(|_| random.pick(&extents)).collect();
        let ty = Type::array(elem, dims.iter().map(|(var, _)| Operand::Var(*var)));
        let consumed = rank > 0 && random.chance(1, 3);
        params.push((function.param("p", ty, consumed), false));
        let shape: Vec<usize> = dims.iter().map(|(_, extent)| *extent).collect();
        let count = shape.iter().product();
        let data = (0..count).map(|_| scalars::constant(random, elem)).collect();
        args.push(Value { elem, shape, data });
    }
    (params, args)
}

/// Returns the surface signature, in which sizes are parameters of their own.
fn entry_point(function: &Function) -> EntryPoint {
    let entry_type = |ty: &Type| {
        let elem = ty.elem().and_then(|elem| ValueType::from_name(elem.name())).unwrap_or(ValueType::I64);
        if ty.rank() == 0 { EntryType::Scalar(elem) } else { EntryType::Array(elem, ty.rank()) }
    };
    let params = function.params.iter().enumerate().map(|(i, param)| EntryParam {
        name: format!("p{i}"),
        consumed: param.consumed,
        ty: entry_type(function.ty(param.var)),
    });
    EntryPoint {
        name: function.name.clone(),
        size_params: 0,
        params: params.collect(),
        size_results: 0,
        tuple: None,
        results: function.results.iter().map(|result| entry_type(function.ty(result.var)).into()).collect(),
    }
}

impl Generator<'_> {
    /// Adds one statement, or a few that belong together.
    fn statement(&mut self) {
        self.fuel = self.fuel.saturating_sub(1);
        if self.options.failing.is_some() && self.random.chance(1, 6) {
            return self.checked();
        }
        if self.options.rows && self.random.chance(1, 4) {
            return self.rows_in_place();
        }
        if self.options.borders && self.random.chance(1, 6) {
            return self.stencil();
        }
        if self.options.small && self.random.chance(1, 5) {
            return self.small_arrays();
        }
        let deep = self.nesting >= self.options.nesting;
        match self.random.below(if deep { 12 } else { 24 }) {
            0..=3 => self.scalar_statement(),
            4..=5 => self.index(),
            6..=8 => self.view(),
            9..=10 => self.fresh_array(),
            11 => self.update(),
            12 => self.choice(),
            13 => self.for_loop(),
            14 => self.while_loop(),
            15..=17 => self.map(),
            18 => self.fold(),
            19 if self.options.partitions => self.partition(),
            20 if self.options.scatters => self.scatter_or_hist(),
            21 if self.options.streams => self.stream(),
            22 if self.options.accumulators && self.random.chance(1, 2) => self.with_acc(),
            22 if self.options.flat_maps => self.flat_map(),
            23 if self.nesting == 0 => self.call(),
            _ => self.fold(),
        }
    }

    /// Chooses the results of the function: sizes that array types mention precede the arrays.
    fn results(&mut self) -> (Vec<Operand>, Vec<bool>) {
        let mut candidates = self.scope.alive_vars();
        let keep = 1 + self.random.below(4);
        while candidates.len() > keep {
            // Later values depend on more of the program.
            let drop = self.random.below(candidates.len() * 2 / 3 + 1);
            candidates.remove(drop.min(candidates.len() - 1));
        }
        let params: Vec<Var> = self.b.function.params.iter().map(|param| param.var).collect();
        let mut result: Vec<Operand> = Vec::new();
        for var in candidates {
            let sizes = self.b.function.ty(var).shape().to_vec();
            let sizes =
                sizes.into_iter().filter(|size| size.as_var().is_some_and(|var| !params.contains(&var)));
            for operand in sizes.chain([Operand::Var(var)]) {
                if !result.contains(&operand) {
                    result.push(operand);
                }
            }
        }
        let unique = vec![false; result.len()];
        (result, unique)
    }
}
