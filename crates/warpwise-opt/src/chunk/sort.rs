//! Sorts the statements of an entry point: before all elements, for each chunk, or after all elements.

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{FreeVars, free_in_expr, free_in_lambda};
use warpwise_ir::{
    Expr, Function, Hist, Lambda, Operand, Param, Partition, Reduce, Scan, Scatter, Screma, SliceDim, Stm,
    Type, Var, exprs,
};
use warpwise_prim::BinaryOp;

use super::Refusal;
use super::exact::{combines_inexactly, is_exact};

/// The time at which a variable is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Before all elements.
    Before,
    /// For each chunk: an array with a row per row of the chunk.
    Rows,
    /// For each chunk: the number of its rows that a filter keeps.
    Count,
    /// After all elements.
    After,
}

/// A value that is carried from chunk to chunk.
pub struct Carry {
    /// The initial value.
    pub first: Operand,
    /// The parameter of the chunk.
    pub param: Var,
    /// The result of the chunk.
    pub result: Operand,
    /// The variable for the final value; `None` if no code after the chunks needs it.
    pub total: Option<Var>,
    /// Whether a chunk may overwrite the value.
    pub consumed: bool,
}

/// A reduction whose partial results are merged.
pub struct Merge {
    pub op: Lambda,
    pub neutral: Vec<Operand>,
    /// The variables for the results of a chunk, which are also those for the totals.
    pub vars: Vec<Var>,
}

/// The statements of an entry point, sorted.
pub struct Sorted {
    pub function: Function,
    /// Number of all rows, number of rows of a chunk, and index of the first row of a chunk.
    pub rows: Var,
    pub count: Var,
    pub offset: Var,
    pub streamed: Vec<Param>,
    pub known: FxHashMap<Var, Known>,
    pub before: Vec<Stm>,
    pub chunk: Vec<Stm>,
    pub after: Vec<Stm>,
    pub carries: Vec<Carry>,
    pub merges: Vec<Merge>,
    pub rounds: bool,
    pub rounds_inside: bool,
}

/// The reason why an entry point cannot be split.
pub struct Stop {
    pub refusal: Refusal,
    /// The number, without sizes, of a parameter that would have to be passed whole.
    pub needed_whole: Option<usize>,
}

/// Sorts the statements. This parameter, and every other one of equal row count, is chunked, except those listed in `whole`.
pub fn sort(function: &Function, parameter: usize, whole: &[usize]) -> Result<Sorted, Stop> {
    let mut function = function.clone();
    let stop = |why: &str| Stop {
        refusal: Refusal { span: function.span, why: why.to_string() },
        needed_whole: None,
    };
    let sizes = function.entry.as_ref().map_or(0, |entry| entry.size_params);
    let Some(&Operand::Var(rows)) =
        function.params.get(sizes + parameter).and_then(|param| function.ty(param.var).shape().first())
    else {
        return Err(stop("the largest argument is no array whose number of rows is left open"));
    };
    let is_streamed = |(number, param): &(usize, &Param)| {
        function.ty(param.var).shape().first() == Some(&rows.into()) && !whole.contains(number)
    };
    let values = function.params[sizes..].iter().enumerate();
    let streamed: Vec<Param> = values.filter(is_streamed).map(|(_, param)| *param).collect();
    let mut known: FxHashMap<Var, Known> =
        function.params.iter().map(|param| (param.var, Known::Before)).collect();
    known.extend(streamed.iter().map(|param| (param.var, Known::Rows)));
    let count = function.fresh("rows", Type::I64);
    let offset = function.fresh("offset", Type::I64);
    known.insert(offset, Known::Before);
    let body = std::mem::take(&mut function.body);
    let (before, chunk, after, carries, merges) = Default::default();
    let mut sorted = Sorted {
        function,
        rows,
        count,
        offset,
        streamed,
        known,
        before,
        chunk,
        after,
        carries,
        merges,
        rounds: false,
        rounds_inside: false,
    };
    for param in sorted.streamed.clone() {
        sorted.count_rows(param.var);
    }
    for stm in body.stms {
        let span = stm.span;
        sorted.statement(stm).map_err(|blame| sorted.stop(span, blame))?;
    }
    sorted.function.body.result = body.result;
    if sorted.chunk.is_empty() {
        return Err(sorted.stop(Span::NONE, Blame::new("no array is computed row by row")));
    }
    Ok(sorted)
}

/// An obstacle, and the variable to blame.
struct Blame {
    why: String,
    var: Option<Var>,
}

impl Blame {
    fn new(why: &str) -> Blame {
        Blame { why: why.to_string(), var: None }
    }

    fn of(why: &str, var: Var) -> Blame {
        Blame { why: why.to_string(), var: Some(var) }
    }
}

type Sorting = Result<(), Blame>;

const AS_A_WHOLE: &str = "an array is needed as a whole, not row by row";
const TWO_PASSES: &str = "a result over all rows is needed for each of them, which takes a second pass";
const COUNTED: &str = "how many rows are kept is needed before all are seen";
const ROUNDS: &str = "floats are combined here, and chunks would change their order";

impl Sorted {
    fn stop(&self, span: Span, Blame { why, var }: Blame) -> Stop {
        let sizes = self.function.entry.as_ref().map_or(0, |entry| entry.size_params);
        let mut params = self.function.params[sizes..].iter();
        let needed_whole = var.and_then(|var| params.position(|param| param.var == var));
        let span = if span == Span::NONE { self.function.span } else { span };
        Stop { refusal: Refusal { span, why }, needed_whole }
    }

    fn known(&self, var: Var) -> Known {
        self.known.get(&var).copied().unwrap_or(Known::Before)
    }

    fn statement(&mut self, stm: Stm) -> Sorting {
        let free = free_in_expr(&self.function, &stm.expr);
        let kinds: Vec<Known> = free.iter().map(|var| self.known(var)).collect();
        let certs = stm.certs.iter().any(|&cert| self.known(cert) == Known::After);
        if kinds.contains(&Known::Rows) || kinds.contains(&Known::Count) || self.generates(&stm.expr) {
            return self.by_chunks(stm, &free);
        }
        let after = certs || kinds.contains(&Known::After);
        let known = if after { Known::After } else { Known::Before };
        self.known.extend(stm.pattern.iter().map(|&var| (var, known)));
        if after {
            self.after.push(stm)
        } else {
            self.before.push(stm)
        }
        Ok(())
    }

    /// Whether an expression makes an array with one row per element from no other array.
    fn generates(&self, expr: &Expr) -> bool {
        let rows = Operand::Var(self.rows);
        match expr {
            Expr::Iota { len, .. } => *len == rows,
            Expr::Replicate { shape, .. } => shape.first() == Some(&rows),
            Expr::Screma(screma) => screma.width == rows,
            exprs!(
                Operand, scalar, Assert, view, Update, ArrayLit, Concat, Copy, Manifest, Scratch, If, Loop,
                Call, Partition, Scatter, Hist, Stream, WithAcc, UpdateAcc, FlatMap, Seg, Tuned, Alloc
            ) => false,
        }
    }

    fn by_chunks(&mut self, stm: Stm, free: &FreeVars) -> Sorting {
        if free.iter().any(|var| self.known(var) == Known::After) {
            return Err(Blame::new(TWO_PASSES));
        }
        let Stm { pattern, expr, certs, span } = stm;
        let plain = |pattern, expr| Stm { pattern, expr, certs: Vec::new(), span };
        // Checks that come before the chunks have succeeded when a chunk runs.
        debug_assert!(certs.iter().all(|&cert| self.known(cert) != Known::Rows));
        match expr {
            Expr::Screma(screma) => self.screma(pattern, *screma, span),
            Expr::Partition(partition) => self.partition(plain(pattern, Expr::Partition(partition))),
            Expr::Hist(hist) => self.hist(pattern, *hist, span),
            Expr::Scatter(scatter) => self.scatter(pattern, *scatter, span),
            Expr::Iota { start, step, .. } => self.iota(pattern, start, step, span),
            expr @ exprs!(
                Operand, scalar, Assert, view, Update, Replicate, ArrayLit, Concat, Copy, Manifest, Scratch,
                If, Loop, Call, Stream, WithAcc, UpdateAcc, FlatMap, Seg, Tuned, Alloc
            ) => {
                let expr = self.view(expr)?;
                self.rows_of(plain(pattern, expr))
            }
        }
    }

    /// Returns an expression for a chunk whose rows come from the same rows of an array.
    fn view(&self, expr: Expr) -> Result<Expr, Blame> {
        let in_rows = |var: Var| self.known(var) == Known::Rows;
        let fixed = |operand: &Operand| operand.as_var().is_none_or(|var| self.known(var) == Known::Before);
        Ok(match expr {
            Expr::Operand(Operand::Var(var)) if in_rows(var) => Expr::Operand(Operand::Var(var)),
            Expr::Copy(var) if in_rows(var) => Expr::Copy(var),
            Expr::Replicate { mut shape, value } if fixed(&value) && shape.iter().skip(1).all(fixed) => {
                shape[0] = self.width(shape[0]);
                Expr::Replicate { shape, value }
            }
            Expr::Rearrange { array, perm } if in_rows(array) && perm.first() == Some(&0) => {
                Expr::Rearrange { array, perm }
            }
            Expr::Reshape { array, mut shape }
                if in_rows(array) && self.is_width(shape[0]) && shape.iter().skip(1).all(fixed) =>
            {
                shape[0] = self.width(shape[0]);
                Expr::Reshape { array, shape }
            }
            Expr::Slice { array, mut dims } if in_rows(array) => {
                let whole = SliceDim::Range {
                    start: Operand::i64(0),
                    len: self.rows.into(),
                    stride: Operand::i64(1),
                };
                if dims.first() != Some(&whole) {
                    return Err(Blame::of(AS_A_WHOLE, array));
                }
                dims[0] = SliceDim::Range {
                    start: Operand::i64(0),
                    len: self.count.into(),
                    stride: Operand::i64(1),
                };
                Expr::Slice { array, dims }
            }
            expr @ exprs!(simple, nested) => return Err(self.blame(&expr)),
        })
    }

    /// Returns the obstacle for an expression that needs arrays whole.
    fn blame(&self, expr: &Expr) -> Blame {
        let free = free_in_expr(&self.function, expr);
        match free.iter().find(|&var| self.known(var) == Known::Rows) {
            Some(var) => Blame::of(AS_A_WHOLE, var),
            None => Blame::new(COUNTED),
        }
    }

    /// Whether a size is the width of an operation on rows.
    fn is_width(&self, size: Operand) -> bool {
        size == self.rows.into() || size.as_var().is_some_and(|var| self.known(var) == Known::Count)
    }

    fn width(&self, size: Operand) -> Operand {
        if size == self.rows.into() { self.count.into() } else { size }
    }

    /// Adds a statement to the chunks. The variables that it binds are rows.
    fn rows_of(&mut self, stm: Stm) -> Sorting {
        for &var in &stm.pattern {
            self.known.insert(var, Known::Rows);
            self.count_rows(var);
        }
        self.chunk.push(stm);
        Ok(())
    }

    /// Gives an array the number of rows of a chunk.
    fn count_rows(&mut self, var: Var) {
        if let Type::Array(ty) = &mut self.function.vars[var].ty
            && ty.shape[0] == self.rows.into()
        {
            ty.shape[0] = self.count.into();
        }
    }

    fn iota(
        &mut self,
        pattern: Vec<Var>,
        start: Operand,
        step: Operand,
        span: warpwise_diag::Span,
    ) -> Sorting {
        if self.function.operand_type(start) != Type::I64 {
            return Err(Blame::new("indices of another type than i64"));
        }
        let mut builder = Builder::new(&mut self.function);
        builder.set_span(span);
        let skipped = builder.binary("skipped", BinaryOp::Mul, self.offset, step);
        let start = builder.binary("start", BinaryOp::Add, start, skipped);
        let stms = builder.take_stms();
        self.chunk.extend(stms);
        let expr = Expr::Iota { len: self.count.into(), start, step };
        self.rows_of(Stm { pattern, expr, certs: Vec::new(), span })
    }

    /// Checks the inputs of an operation over rows.
    fn inputs(&self, width: Operand, inputs: &[Var], lambdas: &[&Lambda]) -> Sorting {
        if !self.is_width(width) {
            return Err(Blame::new(AS_A_WHOLE));
        }
        if let Some(&input) = inputs.iter().find(|&&input| self.known(input) != Known::Rows) {
            return Err(Blame::of("an array that is there as a whole is taken row by row", input));
        }
        for lambda in lambdas {
            let free = free_in_lambda(&self.function, lambda);
            for var in free.iter() {
                match self.known(var) {
                    Known::Before => {}
                    Known::Rows => return Err(Blame::of(AS_A_WHOLE, var)),
                    Known::Count => return Err(Blame::new(COUNTED)),
                    Known::After => return Err(Blame::new(TWO_PASSES)),
                }
            }
        }
        Ok(())
    }

    fn screma(&mut self, pattern: Vec<Var>, mut screma: Screma, span: Span) -> Sorting {
        let ops =
            screma.scans.iter().map(|scan| &scan.op).chain(screma.reduces.iter().map(|reduce| &reduce.op));
        let lambdas: Vec<&Lambda> = ops.chain([&screma.map]).chain(&screma.post).collect();
        self.inputs(screma.width, &screma.inputs, &lambdas)?;
        let bodies = [Some(&screma.map.body), screma.post.as_ref().map(|post| &post.body)];
        self.rounds_inside |=
            bodies.into_iter().flatten().any(|body| combines_inexactly(&self.function, body));
        if screma.scans.iter().any(|scan| !is_exact(&self.function, &scan.op)) {
            return Err(Blame::new(ROUNDS));
        }
        for reduce in &screma.reduces {
            self.rounds |= self.reduction_rounds(&screma, reduce)?;
        }
        screma.width = self.width(screma.width);
        let (totals, arrays) = pattern.split_at(screma.n_reduced());
        let mut taken = 0;
        for reduce in &screma.reduces {
            let vars = totals[taken..taken + reduce.neutral.len()].to_vec();
            taken += vars.len();
            self.known.extend(vars.iter().map(|&var| (var, Known::After)));
            let (op, neutral) = (reduce.op.clone(), reduce.neutral.clone());
            self.merges.push(Merge { op, neutral, vars });
        }
        for &array in arrays {
            self.known.insert(array, Known::Rows);
            self.count_rows(array);
        }
        if screma.scans.is_empty() {
            let expr = Expr::Screma(Box::new(screma));
            self.chunk.push(Stm { pattern, expr, certs: Vec::new(), span });
            return Ok(());
        }
        self.scan(totals, arrays, screma, span)
    }

    /// Returns whether a reduction rounds. If it does, demands that chunks can combine in the same order.
    fn reduction_rounds(&self, screma: &Screma, reduce: &Reduce) -> Result<bool, Blame> {
        if is_exact(&self.function, &reduce.op) {
            return Ok(false);
        }
        let scalars = reduce.neutral.iter().all(|&neutral| self.function.operand_type(neutral).rank() == 0);
        let counts = |input: &Var| {
            let bound = self.chunk.iter().find(|stm| stm.pattern.contains(input));
            bound.is_some_and(|stm| matches!(stm.expr, Expr::Iota { .. }))
        };
        // An iota with an offset may make the lowering choose different blocks.
        let alike =
            screma.width == self.rows.into() && screma.scans.is_empty() && !screma.inputs.iter().any(counts);
        if scalars && alike { Ok(true) } else { Err(Blame::new(ROUNDS)) }
    }

    /// Scans a chunk separately, and combines the state before the chunk with every element.
    fn scan(&mut self, totals: &[Var], arrays: &[Var], mut screma: Screma, span: Span) -> Sorting {
        let post = screma.post.take();
        let (n_scanned, n_reduced) = (screma.n_scanned(), screma.n_reduced());
        let scans = screma.scans.clone();
        // The total of the chunk is a reduction of the same values.
        for Scan { op, neutral, .. } in &scans {
            let op =
                warpwise_ir::traverse::Copier::within(&mut self.function, Default::default()).copy_lambda(op);
            screma.reduces.push(Reduce { op, neutral: neutral.clone(), commutative: false });
        }
        let result = &mut screma.map.body.result;
        let scanned = result[..n_scanned].to_vec();
        result.splice(n_scanned + n_reduced..n_scanned + n_reduced, scanned);
        let mut builder = Builder::new(&mut self.function);
        builder.set_span(span);
        let width = screma.width;
        let bound = builder.bind("local", Expr::Screma(Box::new(screma)));
        let (reduced, local) = bound.split_at(n_reduced + n_scanned);
        let (own, sums) = reduced.split_at(n_reduced);
        let before: Vec<Var> = sums.iter().map(|&sum| builder.function.fresh_like(sum)).collect();
        let mut next: Vec<Operand> = Vec::new();
        let (mut from, mut to) = (0, 0);
        for scan in &scans {
            to += scan.neutral.len();
            let args: Vec<Operand> =
                before[from..to].iter().chain(&sums[from..to]).map(|&var| var.into()).collect();
            next.extend(builder.apply(&scan.op, &args));
            from = to;
        }
        let params: Vec<Var> = local
            .iter()
            .map(|&array| builder.function.ty(array).row(1))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|ty| builder.function.fresh("x", ty))
            .collect();
        let lambda = builder.lambda_of(params, |builder, xs| {
            let mut values: Vec<Operand> = Vec::new();
            let mut from = 0;
            for scan in &scans {
                let to = from + scan.neutral.len();
                let args: Vec<Operand> =
                    before[from..to].iter().chain(&xs[from..to]).map(|&var| var.into()).collect();
                values.extend(builder.apply(&scan.op, &args));
                from = to;
            }
            values.extend(xs[n_scanned..].iter().map(|&x| Operand::Var(x)));
            match &post {
                Some(post) => builder.apply(post, &values),
                None => values,
            }
        });
        let map = Screma {
            width,
            inputs: local.to_vec(),
            map: lambda,
            scans: Vec::new(),
            reduces: Vec::new(),
            post: None,
        };
        builder.bind_to(arrays.to_vec(), Expr::Screma(Box::new(map)));
        for (&total, &own) in totals.iter().zip(own) {
            builder.bind_to(vec![total], Expr::Operand(own.into()));
        }
        let stms = builder.take_stms();
        self.chunk.extend(stms);
        let firsts = scans.iter().flat_map(|scan| scan.neutral.iter().copied());
        for ((first, &param), result) in firsts.zip(&before).zip(next) {
            self.known.insert(param, Known::Before);
            self.carries.push(Carry { first, param, result, total: None, consumed: false });
        }
        Ok(())
    }

    fn partition(&mut self, mut stm: Stm) -> Sorting {
        let Expr::Partition(partition) = &mut stm.expr else { return Err(Blame::new(AS_A_WHOLE)) };
        let Partition { width, inputs, lambda, classes } = &**partition;
        self.inputs(*width, inputs, &[lambda])?;
        self.rounds_inside |= combines_inexactly(&self.function, &lambda.body);
        let classes = *classes;
        partition.width = self.width(partition.width);
        for (place, &var) in stm.pattern.iter().enumerate() {
            self.known.insert(var, if place < classes { Known::Count } else { Known::Rows });
        }
        self.chunk.push(stm);
        Ok(())
    }

    fn hist(&mut self, pattern: Vec<Var>, mut hist: Hist, span: Span) -> Sorting {
        let ops: Vec<&Lambda> = hist.ops.iter().map(|op| &op.op).collect();
        let lambdas: Vec<&Lambda> = ops.iter().copied().chain([&hist.lambda]).collect();
        self.inputs(hist.width, &hist.inputs, &lambdas)?;
        self.rounds_inside |= combines_inexactly(&self.function, &hist.lambda.body);
        if ops.iter().any(|op| !is_exact(&self.function, op)) {
            return Err(Blame::new(ROUNDS));
        }
        hist.width = self.width(hist.width);
        for op in &mut hist.ops {
            for dest in &mut op.dests {
                *dest = self.carried(*dest)?;
            }
        }
        self.carry_all(pattern, Expr::Hist(Box::new(hist)), span);
        Ok(())
    }

    fn scatter(&mut self, pattern: Vec<Var>, mut scatter: Scatter, span: Span) -> Sorting {
        self.inputs(scatter.width, &scatter.inputs, &[&scatter.lambda])?;
        self.rounds_inside |= combines_inexactly(&self.function, &scatter.lambda.body);
        scatter.width = self.width(scatter.width);
        for dest in &mut scatter.dests {
            dest.array = self.carried(dest.array)?;
        }
        self.carry_all(pattern, Expr::Scatter(Box::new(scatter)), span);
        Ok(())
    }

    /// Returns the chunk's parameter for an array that every chunk changes.
    fn carried(&mut self, array: Var) -> Result<Var, Blame> {
        if self.known(array) != Known::Before {
            return Err(Blame::of("an array with as many rows is written to at computed places", array));
        }
        let param = self.function.fresh_like(array);
        self.known.insert(param, Known::Before);
        let first = Operand::Var(array);
        self.carries.push(Carry { first, param, result: first, total: None, consumed: true });
        Ok(param)
    }

    /// Makes an expression the update of the most recent carried values.
    fn carry_all(&mut self, pattern: Vec<Var>, expr: Expr, span: Span) {
        let new = self.carries.len() - pattern.len();
        for (carry, &var) in self.carries[new..].iter_mut().zip(&pattern) {
            carry.result = Operand::Var(var);
            carry.total = Some(var);
            self.known.insert(var, Known::After);
        }
        self.chunk.push(Stm { pattern, expr, certs: Vec::new(), span });
    }
}
