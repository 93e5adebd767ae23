//! Lifting of reductions and scans to segmented ones.
//!
//! ```text
//! s = reduce (op) ne xs   for each segment   ==>
//! sums = screma total (heads, xs) scan ((f, x), (g, y)) { f | g, if g then y else op x y } [false, ne];
//! s    = screma w (starts, sizes) map (start, k) { if 0 < k then sums[start + k - 1] else ne };
//! ```
//!
//! If each element must be folded as if it were the only one ([`Folds::Apart`]), operators that may round are applied segment by
//! segment: `screma w (starts, sizes) map (start, k) { screma k (slice xs) reduce op ne }`. Scans are concatenated by a flatmap.
//!
//! Within regular nests reductions and scans stay unchanged, one dimension further in. Not lifted: operators on arrays, and
//! operators or neutral elements that vary between elements over segments.

use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_lambda};
use warpwise_ir::{Expr, FlatMap, Lambda, Operand, Reduce, Scan, Screma, SliceDim, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::calls::Folds;
use super::lifter::{Form, LevelId, Lifted, Lifter, Link, Value};

impl Lifter<'_> {
    /// Scans arrays over a level, segment by segment.
    pub fn scan(&mut self, level: LevelId, width: Operand, scan: &Scan, inputs: &[Var]) -> Lifted<Vec<Var>> {
        match self.levels[level].link.clone() {
            Link::Segments { starts, sizes, .. } if self.must_stay_apart(&scan.op) => {
                self.demand_uniform(&scan.op, &scan.neutral)?;
                let (outer, total) = (self.width(), self.levels[level].width);
                Ok(self.host(|b| apart(b, (outer, total), (starts, sizes), scan, inputs)))
            }
            Link::Segments { heads, .. } => {
                self.demand_uniform(&scan.op, &scan.neutral)?;
                let total = self.levels[level].width;
                let sums = self.running(total, heads, &scan.op, &scan.neutral, inputs);
                if !scan.exclusive {
                    return Ok(sums);
                }
                Ok(self.host(|b| shifted(b, total, heads, &sums, &scan.neutral)))
            }
            Link::Regular { .. } => {
                let rows = self.fold_rows(level, width, inputs, vec![scan.clone()], Vec::new(), None)?;
                let total = self.levels[level].width;
                let elements = |this: &mut Self, rows: Var| {
                    let shape = [total].into_iter().collect();
                    this.host(|b| b.bind_one("scanned", Expr::Reshape { array: rows, shape }))
                };
                Ok(rows.into_iter().map(|rows| elements(self, rows)).collect())
            }
            Link::Top | Link::Subset { .. } => self.unlifted("a scan of chosen elements"),
        }
    }

    /// Binds `results` to the reductions of arrays over a level, segment by segment.
    pub fn reduce(
        &mut self,
        level: LevelId,
        width: Operand,
        reduce: &Reduce,
        inputs: &[Var],
        results: &[Var],
    ) -> Lifted<()> {
        let outer = self.width();
        let reduced = match self.levels[level].link.clone() {
            Link::Segments { starts, sizes, .. } if self.must_stay_apart(&reduce.op) => {
                self.demand_uniform(&reduce.op, &reduce.neutral)?;
                self.host(|b| reduced_apart(b, outer, (starts, sizes), reduce, inputs))
            }
            Link::Segments { starts, sizes, heads, .. } => {
                self.demand_uniform(&reduce.op, &reduce.neutral)?;
                let total = self.levels[level].width;
                let sums = self.running(total, heads, &reduce.op, &reduce.neutral, inputs);
                self.host(|b| lasts(b, outer, starts, sizes, &sums, &reduce.neutral))
            }
            Link::Regular { .. } => {
                self.fold_rows(level, width, inputs, Vec::new(), vec![reduce.clone()], Some(results))?;
                return Ok(());
            }
            Link::Top | Link::Subset { .. } => return self.unlifted("a reduction of chosen elements"),
        };
        for (&result, array) in results.iter().zip(reduced) {
            self.set(result, Form::Regular(array));
        }
        Ok(())
    }

    /// Whether an operator may round and segments must be folded separately, so that the order of combination matters.
    fn must_stay_apart(&self, op: &Lambda) -> bool {
        let rounds = |&param: &Var| self.function.ty(param).elem().is_some_and(ScalarType::is_float);
        self.functions.folds == Folds::Apart && op.params.iter().any(rounds)
    }

    /// Demands that an operator over segments is the same for all of them, on scalars.
    pub fn demand_uniform(&self, op: &Lambda, neutral: &[Operand]) -> Lifted<()> {
        let uniform = neutral.iter().all(|&x| self.avoided(x))
            && free_in_lambda(self.function, op).iter().all(|var| self.avoided(var.into()));
        if !uniform {
            return self.unlifted("an operator that differs from segment to segment");
        }
        self.demand_scalars(op)
    }

    fn demand_scalars(&self, op: &Lambda) -> Lifted<()> {
        match op.params.iter().all(|&param| self.function.ty(param).rank() == 0) {
            true => Ok(()),
            false => self.unlifted("an operator on arrays"),
        }
    }

    /// Returns the running sums of arrays over a level, restarted at each segment flag.
    fn running(
        &mut self,
        total: Operand,
        heads: Var,
        op: &Lambda,
        neutral: &[Operand],
        inputs: &[Var],
    ) -> Vec<Var> {
        let types: Vec<Type> = inputs.iter().map(|&input| self.function.ty(input).row(1)).collect();
        self.host(|b| {
            let op = segmented(b, op, &types);
            let all: Vec<Type> = [Type::BOOL].into_iter().chain(types.iter().cloned()).collect();
            let map = b.identity(&all);
            let neutral = [Operand::bool(false)].into_iter().chain(neutral.iter().copied()).collect();
            let inputs: Vec<Var> = [heads].into_iter().chain(inputs.iter().copied()).collect();
            let scan = Scan { op, neutral, exclusive: false };
            b.map_scan("sums", total, &inputs, map, scan)[1..].to_vec()
        })
    }

    /// Scans or reduces rows of a regular level, as a statement that stays within an element.
    fn fold_rows(
        &mut self,
        level: LevelId,
        width: Operand,
        inputs: &[Var],
        scans: Vec<Scan>,
        reduces: Vec<Reduce>,
        results: Option<&[Var]>,
    ) -> Lifted<Vec<Var>> {
        let outer = self.width();
        let Link::Regular { inner, .. } = self.levels[level].link.clone() else {
            return self.unlifted("rows of differing sizes");
        };
        let mut rows = Vec::new();
        for &input in inputs {
            let ty = self.function.ty(input).row(1);
            let array = self.host(|b| {
                let shape = ty.array_of(&[outer, inner]).shape().into();
                b.bind_one("rows", Expr::Reshape { array: input, shape })
            });
            let row = self.function.fresh("row", ty.array_of(&[width]));
            self.values.insert(row, Value { level: self.level, form: Form::Regular(array) });
            rows.push(row);
        }
        let types: Vec<Type> = inputs.iter().map(|&input| self.function.ty(input).row(1)).collect();
        let map = Builder::new(self.function).identity(&types);
        let folded = |this: &mut Self, ty: &Type| {
            let ty = if results.is_some() { ty.clone() } else { ty.array_of(&[width]) };
            this.function.fresh("folded", ty)
        };
        let pattern = match results {
            Some(results) => results.to_vec(),
            None => types.iter().map(|ty| folded(self, ty)).collect(),
        };
        let expr = Expr::Screma(Box::new(Screma { width, inputs: rows, map, scans, reduces, post: None }));
        let stm = Stm { pattern: pattern.clone(), expr, certs: Vec::new(), span: self.span };
        self.stay(&stm)?;
        if results.is_some() {
            return Ok(Vec::new());
        }
        let locals = pattern.iter().map(|&var| self.local(var.into())).collect::<Lifted<Vec<_>>>()?;
        Ok(self.flush(&locals))
    }
}

/// Scans each segment separately. The results have the layout of the inputs.
fn apart(
    b: &mut Builder,
    (outer, total): (Operand, Operand),
    (starts, sizes): (Var, Var),
    scan: &Scan,
    inputs: &[Var],
) -> Vec<Var> {
    let types: Vec<Type> = inputs.iter().map(|&input| b.function.ty(input).row(1)).collect();
    let lambda = b.lambda(&[("start", Type::I64), ("k", Type::I64)], |b, x| {
        let (views, map) = segments_of(b, (x[0], x[1]), inputs, &types);
        let scans = vec![copied_scan(b, scan)];
        let soac = Screma { width: x[1].into(), inputs: views, map, scans, reduces: Vec::new(), post: None };
        let scanned = b.bind("scanned", Expr::Screma(Box::new(soac)));
        [x[1].into()].into_iter().chain(scanned.into_iter().map(Operand::Var)).collect()
    });
    let inputs = vec![starts, sizes];
    let soac = FlatMap { width: outer, inputs, results: types.clone(), lambda };
    let joined = b.bind("joined", Expr::FlatMap(Box::new(soac)));
    let as_before = |(&array, ty): (&Var, &Type)| {
        let shape = ty.array_of(&[total]).shape().into();
        b.bind_one("scanned", Expr::Reshape { array, shape })
    };
    joined[2..].iter().zip(&types).map(as_before).collect()
}

/// Reduces each segment separately.
fn reduced_apart(
    b: &mut Builder,
    outer: Operand,
    (starts, sizes): (Var, Var),
    reduce: &Reduce,
    inputs: &[Var],
) -> Vec<Var> {
    let types: Vec<Type> = inputs.iter().map(|&input| b.function.ty(input).row(1)).collect();
    let lambda = b.lambda(&[("start", Type::I64), ("k", Type::I64)], |b, x| {
        let (views, map) = segments_of(b, (x[0], x[1]), inputs, &types);
        let op = Copier::within(b.function, Substitution::new()).copy_lambda(&reduce.op);
        let reduces = vec![Reduce { op, ..reduce.clone() }];
        let soac = Screma { width: x[1].into(), inputs: views, map, scans: Vec::new(), reduces, post: None };
        let reduced = b.bind("reduced", Expr::Screma(Box::new(soac)));
        reduced.into_iter().map(Operand::Var).collect()
    });
    b.map("reduced", outer, &[starts, sizes], lambda)
}

/// Returns views of the segments of arrays, and the identity map over their elements.
pub fn segments_of(
    b: &mut Builder,
    (start, len): (Var, Var),
    inputs: &[Var],
    types: &[Type],
) -> (Vec<Var>, Lambda) {
    let view = |b: &mut Builder, array: Var| {
        let mut dims =
            vec![SliceDim::Range { start: start.into(), len: len.into(), stride: Operand::i64(1) }];
        for &size in b.function.ty(array).shape().to_vec().iter().skip(1) {
            dims.push(SliceDim::whole(size));
        }
        b.slice("segment", array, dims)
    };
    let views = inputs.iter().map(|&array| view(b, array)).collect();
    (views, b.identity(types))
}

fn copied_scan(b: &mut Builder, scan: &Scan) -> Scan {
    let op = Copier::within(b.function, Substitution::new()).copy_lambda(&scan.op);
    Scan { op, ..scan.clone() }
}

/// Returns an operator on values with a segment flag each. The flag of a combination says that a segment starts in it.
fn segmented(b: &mut Builder, op: &Lambda, types: &[Type]) -> Lambda {
    let n = types.len();
    let group: Vec<(&str, Type)> =
        [("head", Type::BOOL)].into_iter().chain(types.iter().map(|ty| ("x", ty.clone()))).collect();
    let params: Vec<(&str, Type)> = group.iter().chain(&group).cloned().collect();
    b.lambda(&params, |b, x| {
        let (left, right) = x.split_at(n + 1);
        let head = b.binary("head", BinaryOp::Or, left[0], right[0]);
        let args: Vec<Operand> = left[1..].iter().chain(&right[1..]).map(|&var| var.into()).collect();
        let begun = |_: &mut Builder| right[1..].iter().map(|&var| var.into()).collect();
        let combined = b.branch("x", right[0], begun, |b| b.apply(op, &args));
        [head].into_iter().chain(combined.into_iter().map(Operand::Var)).collect()
    })
}

/// Returns the last running sum of each segment, or the neutral element for empty segments.
fn lasts(
    b: &mut Builder,
    outer: Operand,
    starts: Var,
    sizes: Var,
    sums: &[Var],
    neutral: &[Operand],
) -> Vec<Var> {
    let lambda = b.lambda(&[("start", Type::I64), ("k", Type::I64)], |b, x| {
        let some = b.compare("some", CompareOp::SLt, 0, x[1]);
        let last = |b: &mut Builder| {
            let end = b.binary("end", BinaryOp::Add, x[0], x[1]);
            let last = b.binary("last", BinaryOp::Sub, end, 1);
            sums.iter().map(|&sums| b.index("x", sums, &[last]).into()).collect()
        };
        let results = b.branch("x", some, last, |_| neutral.to_vec());
        results.into_iter().map(Operand::Var).collect()
    });
    b.map("reduced", outer, &[starts, sizes], lambda)
}

/// Returns running sums that exclude the element itself.
fn shifted(b: &mut Builder, total: Operand, heads: Var, sums: &[Var], neutral: &[Operand]) -> Vec<Var> {
    let at = b.bind_one("at", super::lifter::iota(total));
    let lambda = b.lambda(&[("i", Type::I64), ("head", Type::BOOL)], |b, x| {
        let before = |b: &mut Builder| {
            let at = b.binary("before", BinaryOp::Sub, x[0], 1);
            sums.iter().map(|&sums| b.index("x", sums, &[at]).into()).collect()
        };
        let results = b.branch("x", x[1], |_| neutral.to_vec(), before);
        results.into_iter().map(Operand::Var).collect()
    });
    b.map("before", total, &[at, heads], lambda)
}
