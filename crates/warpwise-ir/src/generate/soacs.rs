//! SOACs.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::Generator;
use super::scalars::constant;
use crate::expr::{Expr, Lambda};
use crate::program::Var;
use crate::soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind,
    WithAcc, WithAccInput,
};
use crate::types::{AccType, Operand, Shape, Type};

/// An operator with its operand types and neutral element.
pub(super) struct Operator {
    pub(super) op: Lambda,
    pub(super) types: Vec<Type>,
    pub(super) neutral: Vec<Operand>,
    pub(super) commutative: bool,
}

impl Generator<'_> {
    /// Chooses a width, and arrays of that outer size; often the latest array, so that SOACs form chains.
    fn inputs(&mut self) -> (Operand, Vec<Var>, Vec<Type>) {
        let last = self.scope.find(|ty| ty.rank() > 0).pop();
        let (first, ty) = match last {
            Some(last) if self.random.chance(1, 2) => last,
            _ => self.array(),
        };
        let width = ty.shape()[0];
        let mut inputs = vec![first];
        let found = self.scope.find(|ty| ty.shape().first() == Some(&width));
        for _ in 0..self.random.below(3) {
            inputs.push(self.random.pick(&found).0);
        }
        if self.random.chance(1, 3) {
            let (start, step) = (Operand::i64(0), Operand::i64(1));
            inputs.push(self.bind("is", Expr::Iota { len: width, start, step })[0]);
        }
        let rows = inputs.iter().map(|input| self.b.function.ty(*input).row(1)).collect();
        (width, inputs, rows)
    }

    /// Adds a map, sometimes one that overwrites its rows.
    pub(super) fn map(&mut self) {
        if self.random.chance(1, 6) {
            return self.map_in_place();
        }
        let (width, inputs, rows) = self.inputs();
        let types: Vec<Type> = self.value_types().into_iter().filter(|ty| ty.rank() < 3).collect();
        let map = self.lambda(&rows, |this, _| this.values(&types));
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        self.bind("ys", Expr::Screma(Box::new(screma)));
    }

    fn map_in_place(&mut self) {
        let Some((array, ty)) = self.owned_array(|ty| ty.rank() > 1) else { return };
        let row = ty.row(1);
        let Some(elem) = row.elem() else { return };
        self.scope.consume(array);
        let map = self.lambda(std::slice::from_ref(&row), |this, params| {
            let value = this.scalar(elem);
            let dims = row.shape().iter().map(|len| crate::expr::SliceDim::Range {
                start: Operand::i64(0),
                len: *len,
                stride: Operand::i64(1),
            });
            let dims: Vec<_> = dims.collect();
            let expr = Expr::Replicate { shape: row.shape().into(), value };
            let value = this.b.bind_one("w", expr);
            vec![this.b.update("u", params[0], dims, value).into()]
        });
        let width = ty.shape()[0];
        let screma =
            Screma { width, inputs: vec![array], map, scans: Vec::new(), reduces: Vec::new(), post: None };
        self.bind("ys", Expr::Screma(Box::new(screma)));
    }

    /// Builds an associative operator, which may fail if programs may; a commutative one if requested.
    fn any_operator(&mut self, commutative: bool) -> Operator {
        if self.options.failing.is_some() && self.random.chance(1, 2) {
            return self.checked_operator();
        }
        self.operator(commutative)
    }

    /// Builds an associative operator that never fails; a commutative one if requested.
    fn operator(&mut self, commutative: bool) -> Operator {
        if !commutative && self.random.chance(1, 4) {
            return self.affine_operator();
        }
        let ty = loop {
            let ty = self.scalar_type();
            if self.options.float_sums || !ty.is_float() {
                break ty;
            }
        };
        let ops = operators(ty);
        let (op, neutral) = self.random.pick(&ops);
        let lambda = self.b.operator(op, ty);
        let types = vec![Type::Scalar(ty)];
        Operator { op: lambda, types, neutral: vec![neutral.into()], commutative: true }
    }

    /// Builds an operator of a scan or reduction, on scalars or on rows.
    fn folding_operator(&mut self) -> Operator {
        let operator = self.any_operator(false);
        if self.random.chance(1, 4) { self.on_rows(operator) } else { operator }
    }

    /// Lifts an operator on elements to rows, as a map over the rows or over the positions in them.
    fn on_rows(&mut self, operator: Operator) -> Operator {
        let Operator { op, types, neutral, commutative } = operator;
        let size = self.size();
        let types: Vec<Type> = types.iter().map(|ty| ty.array_of(&[size])).collect();
        let mut rows = Vec::new();
        for value in neutral {
            rows.push(
                self.bind("ne", Expr::Replicate { shape: [size].into_iter().collect(), value })[0].into(),
            );
        }
        let places = self.random.chance(1, 2);
        let params: Vec<(&str, Type)> = types.iter().chain(&types).map(|ty| ("x", ty.clone())).collect();
        let op = self.b.lambda(&params, |b, vars| {
            let (inputs, op) = match places {
                false => (vars.to_vec(), op),
                true => {
                    let (start, step) = (Operand::i64(0), Operand::i64(1));
                    let places = b.bind_one("is", Expr::Iota { len: size, start, step });
                    let at = b.lambda(&[("i", Type::I64)], |b, place| {
                        let element = |&row: &Var| b.index("y", row, &[place[0].into()]).into();
                        let elements: Vec<Operand> = vars.iter().map(element).collect();
                        b.apply(&op, &elements)
                    });
                    (vec![places], at)
                }
            };
            b.map("z", size, &inputs, op).into_iter().map(Operand::Var).collect()
        });
        Operator { op, types, neutral: rows, commutative }
    }

    /// Builds the composition of functions `x -> a * x + b`, which is not commutative.
    fn affine_operator(&mut self) -> Operator {
        let ty = Type::Scalar(ScalarType::I32);
        let params = [("a", ty.clone()), ("b", ty.clone()), ("c", ty.clone()), ("d", ty.clone())];
        let op = self.b.lambda(&params, |b, v| {
            let slope = b.binary("s", BinaryOp::Mul, v[0], v[2]);
            let shifted = b.binary("m", BinaryOp::Mul, v[1], v[2]);
            vec![slope, b.binary("o", BinaryOp::Add, shifted, v[3])]
        });
        let neutral = vec![Scalar::I32(1).into(), Scalar::I32(0).into()];
        Operator { op, types: vec![ty.clone(), ty], neutral, commutative: false }
    }

    /// Adds scans and reductions with the functions before and after them.
    pub(super) fn fold(&mut self) {
        let (width, inputs, rows) = self.inputs();
        let (mut scans, mut reduces) = (Vec::new(), Vec::new());
        let (mut scanned, mut folded) = (Vec::new(), Vec::new());
        for _ in 0..self.random.below(2) {
            let Operator { op, types, neutral, commutative: _ } = self.folding_operator();
            scanned.extend(types);
            scans.push(Scan { op, neutral, exclusive: self.random.chance(1, 3) });
        }
        for _ in 0..self.random.below(2) + usize::from(scans.is_empty()) {
            let Operator { op, types, neutral, commutative } = self.folding_operator();
            folded.extend(types);
            let commutative = commutative && self.random.chance(1, 2);
            reduces.push(Reduce { op, neutral, commutative });
        }
        let further = if self.random.chance(1, 3) { self.value_types() } else { Vec::new() };
        let types = [scanned.clone(), folded, further.clone()].concat();
        let map = self.lambda(&rows, |this, _| this.values(&types));
        let post = self.random.chance(1, 3).then(|| {
            let types = self.value_types();
            self.lambda(&[scanned, further].concat(), |this, _| this.values(&types))
        });
        self.bind("r", Expr::Screma(Box::new(Screma { width, inputs, map, scans, reduces, post })));
    }

    pub(super) fn partition(&mut self) {
        let (width, inputs, rows) = self.inputs();
        let classes = 1 + self.random.below(2);
        let types = self.value_types();
        let lambda = self.lambda(&rows, |this, _| {
            let tests: Vec<Operand> = (0..classes).map(|_| this.scalar(ScalarType::Bool)).collect();
            [tests, this.values(&types)].concat()
        });
        let vars = self.bind("q", Expr::Partition(Box::new(Partition { width, inputs, classes, lambda })));
        self.scope.sizes.extend(vars[..classes].iter().map(|var| Operand::Var(*var)));
    }

    /// Adds writes or updates at indices, some of them out of bounds.
    pub(super) fn scatter_or_hist(&mut self) {
        let (width, inputs, rows) = self.inputs();
        let combines = self.random.chance(2, 3);
        let Operator { op, types, neutral, .. } = self.any_operator(true);
        let Some(elem) = types[0].elem() else { return };
        let Some((dest, ty)) = self.owned_array(|ty| ty.elem() == Some(elem)) else { return };
        if inputs.contains(&dest) || !self.survives(dest, &inputs) {
            return;
        }
        self.scope.consume(dest);
        let rank = ty.rank();
        // Without an operator, writes to equal indices must have equal values.
        let fixed = constant(self.random, elem);
        let lambda = self.lambda(&rows, |this, _| {
            let mut result: Vec<Operand> = (0..rank).map(|_| this.scalar(ScalarType::I64)).collect();
            result.push(if combines { this.scalar(elem) } else { fixed.into() });
            result
        });
        let expr = if combines {
            let ops = vec![HistOp { dests: vec![dest], rank, op, neutral }];
            Expr::Hist(Box::new(Hist { width, inputs, lambda, ops }))
        } else {
            let dests = vec![ScatterDest::at(dest, rank)];
            Expr::Scatter(Box::new(Scatter { width, inputs, lambda, dests }))
        };
        self.bind("h", expr);
    }

    /// Returns whether inputs are still usable after `dest` is consumed.
    fn survives(&self, dest: Var, inputs: &[Var]) -> bool {
        inputs.iter().all(|input| !self.scope.share(dest, *input))
    }

    pub(super) fn stream(&mut self) {
        let (width, inputs, rows) = self.inputs();
        let Operator { op, types, neutral, commutative: _ } = self.operator(false);
        let kind = self.random.below(3);
        let accs = if kind == 0 { Vec::new() } else { neutral.clone() };
        let acc_types = if kind == 0 { Vec::new() } else { types.clone() };
        let chunk = self.b.function.fresh("cn", Type::I64);
        let offset = self.b.function.fresh("off", Type::I64);
        let acc_vars: Vec<Var> =
            acc_types.iter().map(|ty| self.b.function.fresh("acc", ty.clone())).collect();
        let chunk_types = rows.iter().map(|row| row.array_of(&[chunk.into()]));
        let chunk_vars: Vec<Var> = chunk_types.map(|ty| self.b.function.fresh("ch", ty)).collect();
        let outer = self.b.take_stms();
        // The operator's inputs are computed from the chunk's elements, so that the division into chunks is not observable.
        let further = if self.random.chance(1, 2) { self.value_types() } else { Vec::new() };
        let further: Vec<Type> = further.into_iter().filter(|ty| ty.rank() < 3).collect();
        let all = [types.clone(), further].concat();
        let map = self.lambda(&rows, |this, _| this.values(&all));
        let whole = Reduce { op, neutral, commutative: false };
        let inner = if kind == 0 { Vec::new() } else { vec![whole.clone()] };
        let screma = Screma {
            width: chunk.into(),
            inputs: chunk_vars.clone(),
            map,
            scans: Vec::new(),
            reduces: inner,
            post: None,
        };
        let vars = self.b.bind("p", Expr::Screma(Box::new(screma)));
        let parts: Vec<Operand> = vars.into_iter().map(Operand::Var).collect();
        let mut result = parts.clone();
        if kind > 0 {
            let before: Vec<Operand> = acc_vars.iter().map(|var| Operand::Var(*var)).collect();
            let (reduced, arrays) = parts.split_at(types.len());
            result = self.b.apply(&whole.op, &[&before, reduced].concat());
            result.extend(arrays);
        }
        let body = crate::expr::Body { stms: self.b.take_stms(), result };
        self.b.extend(outer);
        let params = [vec![chunk, offset], acc_vars, chunk_vars].concat();
        let kind = match kind {
            0 => StreamKind::Map,
            1 => StreamKind::Seq,
            _ => {
                let mut copier =
                    crate::traverse::Copier::within(self.b.function, crate::traverse::Substitution::new());
                StreamKind::Red(copier.copy_lambda(&whole.op))
            }
        };
        let lambda = Lambda { params, body };
        self.bind("st", Expr::Stream(Box::new(Stream { kind, width, inputs, accs, lambda })));
    }

    /// Adds a map that updates an accumulator.
    pub(super) fn with_acc(&mut self) {
        let (width, inputs, rows) = self.inputs();
        let Some((array, ty)) =
            self.owned_array(|ty| ty.rank() == 1 && ty.elem().is_some_and(|ty| ty.is_int()))
        else {
            return;
        };
        let Some(elem) = ty.elem() else { return };
        if !self.survives(array, &inputs) {
            return;
        }
        self.scope.consume(array);
        let shape: Shape = ty.shape().into();
        let scalar = Type::Scalar(elem);
        let op = self.b.lambda(&[("i", Type::I64), ("x", scalar.clone()), ("y", scalar.clone())], |b, v| {
            vec![b.binary("z", BinaryOp::Add, v[1], v[2])]
        });
        let token = self.b.function.fresh("token", Type::Cert);
        let acc_type = Type::Acc(AccType { token, shape: shape.clone(), elems: vec![scalar] });
        let acc = self.b.function.fresh("acc", acc_type.clone());
        let element = self.b.function.fresh("acc", acc_type);
        let outer = self.b.take_stms();
        let mut map = self.lambda(&rows, |this, _| {
            let (index, value) = (this.scalar(ScalarType::I64), this.scalar(elem));
            let expr = Expr::UpdateAcc { acc: element, indices: vec![index], values: vec![value] };
            vec![this.b.bind_one("acc", expr).into()]
        });
        map.params.insert(0, element);
        let inputs = [vec![acc], inputs].concat();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let result = self.b.bind("acc", Expr::Screma(Box::new(screma)));
        let result = result.into_iter().map(Operand::Var).collect();
        let body = crate::expr::Body { stms: self.b.take_stms(), result };
        self.b.extend(outer);
        let zero = Operand::Const(Scalar::zero(elem));
        let input = WithAccInput { shape, arrays: vec![array], op: Some((op, vec![zero])) };
        let lambda = Lambda { params: vec![token, acc], body };
        self.bind("w", Expr::WithAcc(Box::new(WithAcc { inputs: vec![input], lambda })));
    }

    /// Adds a concatenation of arrays of 0 to 3 elements.
    pub(super) fn flat_map(&mut self) {
        let (width, inputs, rows) = self.inputs();
        if !self.scope.sizes.contains(&width) {
            return self.map();
        }
        let elem = self.scalar_type();
        let row = Type::Scalar(elem);
        let lambda = self.lambda(&rows, |this, _| {
            let any = this.scalar(ScalarType::I64);
            let size = this.b.binary("size", BinaryOp::And, any, 3i64);
            let value = this.scalar(elem);
            let shape = Shape::from_slice(&[size]);
            let array = this.b.bind_one("a", Expr::Replicate { shape, value });
            let few = this.b.compare("few", CompareOp::SLt, size, 2i64);
            vec![size, array.into(), few]
        });
        let flat_map = FlatMap { width, inputs, results: vec![row], lambda };
        self.bind("fl", Expr::FlatMap(Box::new(flat_map)));
    }
}

/// Returns associative and commutative operators with their neutral elements.
fn operators(ty: ScalarType) -> Vec<(BinaryOp, Scalar)> {
    use BinaryOp::*;
    match ty {
        ScalarType::Bool => {
            vec![(And, Scalar::Bool(true)), (Or, Scalar::Bool(false)), (Xor, Scalar::Bool(false))]
        }
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            vec![(FAdd, Scalar::zero(ty)), (FMul, Scalar::float(ty, 1.0))]
        }
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            let (zero, one, all) = (Scalar::zero(ty), Scalar::int(ty, 1), Scalar::int(ty, -1));
            vec![(Add, zero), (Mul, one), (And, all), (Or, zero), (Xor, zero), (UMax, zero), (UMin, all)]
        }
    }
}
