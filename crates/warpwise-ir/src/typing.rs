//! The types of the results of expressions, from the types of their operands.
//!
//! ```text
//! partition n (a) classes 1 ...   yields   k: i64, [k]f32
//! ```
//!
//! A size that is known only at run time is another result of the expression ([`Size::Result`]). Only properties that determine
//! the types are checked here; well-formedness is the business of the verifier, which builds on this module.

use smallvec::SmallVec;
use warpwise_prim::ScalarType;

use crate::expr::{Body, Expr, LoopParam, SliceDim};
use crate::program::{Function, Program, Var};
use crate::segop::{SegKind, SegOp};
use crate::soac::{FlatMap, Reduce, Scan, Screma, Stream, WithAcc};
use crate::types::{Operand, Type};

/// The type of a result of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultType {
    /// A type that mentions no other result.
    Plain(Type),
    /// An array type, some of whose sizes may be results.
    Array(ScalarType, SmallVec<[Size; 2]>),
}

/// A size in the type of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// An operand in scope where the expression stands, if the expression is well-formed.
    Known(Operand),
    /// An earlier result of the same expression.
    Result(usize),
}

/// Returns the types of the results of an expression, or the reason why it has none. Calls need the program.
pub fn result_types(
    program: Option<&Program>,
    function: &Function,
    expr: &Expr,
) -> Result<Vec<ResultType>, String> {
    Typing { program, function }.expr(expr)
}

/// Returns the types of the results of a call.
pub fn call_result_types(callee: &Function, args: &[Operand]) -> Vec<ResultType> {
    let results = callee.results.iter().enumerate().map(|(i, result)| {
        let size = |size: Operand| match size {
            Operand::Const(_) => Size::Known(size),
            Operand::Var(var) => match callee.results[..i].iter().position(|result| result.var == var) {
                Some(position) => Size::Result(position),
                None => {
                    let position = callee.params.iter().position(|param| param.var == var);
                    Size::Known(position.and_then(|at| args.get(at)).copied().unwrap_or(size))
                }
            },
        };
        map_sizes(callee.ty(result.var), size)
    });
    results.collect()
}

impl ResultType {
    /// Returns the type with the results replaced by these operands.
    pub fn instantiate(&self, results: &[Operand]) -> Type {
        match self {
            ResultType::Plain(ty) => ty.clone(),
            ResultType::Array(elem, sizes) => {
                let size = |size: &Size| match size {
                    Size::Known(operand) => *operand,
                    Size::Result(position) => results[*position],
                };
                Type::array(*elem, sizes.iter().map(size))
            }
        }
    }
}

/// The context of an expression: the program and the function with its variables.
struct Typing<'a> {
    program: Option<&'a Program>,
    function: &'a Function,
}

/// A value, or the reason why the expression has no type.
type Typed<T> = Result<T, String>;

impl Typing<'_> {
    fn expr(&self, expr: &Expr) -> Typed<Vec<ResultType>> {
        let one = |ty: Type| Ok(vec![ResultType::Plain(ty)]);
        match expr {
            Expr::Operand(x) | Expr::Unary(_, x) | Expr::Binary(_, x, _) | Expr::Ternary(_, x, _, _) => {
                one(self.operand(*x))
            }
            Expr::Select(_, x, _) => one(self.operand(*x)),
            Expr::Compare(..) => one(Type::BOOL),
            Expr::Tuned { .. } => one(Type::I64),
            Expr::Convert(_, _, ty) => one(Type::Scalar(*ty)),
            Expr::Assert { .. } => one(Type::Cert),
            Expr::Alloc { .. } => one(Type::Mem),
            Expr::UpdateAcc { acc, .. } => one(self.var(*acc)),
            Expr::Index { .. }
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
            | Expr::Scratch { .. } => self.array_expr(expr).and_then(one),
            Expr::If { then_body, else_body, .. } => self.branch(then_body, else_body),
            Expr::Loop { params, .. } => Ok(self.loop_results(params)),
            Expr::Call { function, args } => {
                let program = self.program.ok_or("a call, but the program is not at hand")?;
                let callee = program.functions.get(*function).ok_or("there is no such function")?;
                Ok(call_result_types(callee, args))
            }
            Expr::Screma(screma) => self.screma(screma),
            Expr::Partition(soac) => self.partition(soac.classes, &soac.lambda.body),
            Expr::Scatter(soac) => Ok(soac.dests.iter().map(|dest| self.plain(dest.array)).collect()),
            Expr::Hist(soac) => {
                Ok(soac.ops.iter().flat_map(|op| &op.dests).map(|dest| self.plain(*dest)).collect())
            }
            Expr::Stream(stream) => self.stream(stream),
            Expr::WithAcc(with_acc) => Ok(self.with_acc(with_acc)),
            Expr::FlatMap(flat_map) => self.flat_map(flat_map),
            Expr::Seg(op) => self.seg_op(op),
        }
    }

    fn array_expr(&self, expr: &Expr) -> Typed<Type> {
        match expr {
            Expr::Index { array, indices } => {
                let ty = self.array(*array)?;
                let rest = ty.1.get(indices.len()..).ok_or("more indices than dimensions")?;
                Ok(Type::array(ty.0, rest.iter().copied()))
            }
            Expr::Slice { array, dims } => {
                let lens = dims.iter().filter_map(|dim| match dim {
                    SliceDim::Fix(_) => None,
                    SliceDim::Range { len, .. } => Some(*len),
                });
                Ok(Type::array(self.array(*array)?.0, lens))
            }
            Expr::Update { array, .. } => Ok(self.var(*array)),
            Expr::Iota { len, start, .. } => self.wrap(&[*len], &self.operand(*start)),
            Expr::Replicate { shape, value } => self.wrap(shape, &self.operand(*value)),
            Expr::ArrayLit(elems) => {
                let first = elems.first().ok_or("an array literal without elements")?;
                self.wrap(&[Operand::i64(elems.len() as i64)], &self.operand(*first))
            }
            Expr::Concat { arrays, len } => {
                let first = arrays.first().ok_or("a concatenation of nothing")?;
                let (elem, shape) = self.array(*first)?;
                Ok(Type::array(elem, std::iter::once(*len).chain(shape.iter().skip(1).copied())))
            }
            Expr::Rearrange { array, perm } => {
                let (elem, shape) = self.array(*array)?;
                let sizes: Option<Vec<Operand>> = perm.iter().map(|dim| shape.get(*dim).copied()).collect();
                Ok(Type::array(elem, sizes.ok_or("no permutation of the dimensions")?))
            }
            Expr::Reshape { array, shape } => Ok(Type::array(self.array(*array)?.0, shape.iter().copied())),
            Expr::Copy(array) | Expr::Manifest { array, .. } => Ok(self.var(*array)),
            Expr::Scratch { elem, shape } => Ok(Type::array(*elem, shape.iter().copied())),
            Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
            | Expr::Call { .. }
            | Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::UpdateAcc { .. }
            | Expr::FlatMap(_)
            | Expr::Seg(_)
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => Err("no array expression".to_string()),
        }
    }

    /// Returns the types of a choice. Where a size differs between the branches, an earlier result must be that size in both.
    fn branch(&self, then_body: &Body, else_body: &Body) -> Typed<Vec<ResultType>> {
        let pairs = || then_body.result.iter().zip(&else_body.result);
        let size = |i: usize, x: Operand, y: Operand| {
            let earlier = pairs().take(i).position(|(a, b)| (*a, *b) == (x, y));
            earlier.filter(|_| x != y).map_or(Size::Known(x), Size::Result)
        };
        let result = |(i, (x, y)): (usize, (&Operand, &Operand))| {
            let (x, y) = (self.operand(*x), self.operand(*y));
            match (&x, &y) {
                (Type::Array(a), Type::Array(b)) => {
                    let sizes = a.shape.iter().zip(&b.shape).map(|(x, y)| size(i, *x, *y));
                    ResultType::Array(a.elem, sizes.collect())
                }
                _ => ResultType::Plain(x),
            }
        };
        Ok(pairs().enumerate().map(result).collect())
    }

    fn loop_results(&self, params: &[LoopParam]) -> Vec<ResultType> {
        let size = |i: usize, size: Operand| {
            let earlier = params[..i].iter().position(|param| Operand::Var(param.var) == size);
            earlier.map_or(Size::Known(size), Size::Result)
        };
        let result = |(i, param): (usize, &LoopParam)| map_sizes(self.function.ty(param.var), |x| size(i, x));
        params.iter().enumerate().map(result).collect()
    }

    fn screma(&self, screma: &Screma) -> Typed<Vec<ResultType>> {
        let mut types = self.reduce_results(&[], &screma.reduces)?;
        let elems = match &screma.post {
            Some(post) => self.result(&post.body),
            None => self.scanned(&screma.scans, &screma.reduces, &screma.map.body)?,
        };
        self.wrap_all(&mut types, &[screma.width], &elems)?;
        Ok(types)
    }

    /// Returns the types of the scanned values, then those of the further values of the body.
    fn scanned(&self, scans: &[Scan], reduces: &[Reduce], body: &Body) -> Typed<Vec<Type>> {
        let mut types: Vec<Type> =
            scans.iter().flat_map(|scan| &scan.neutral).map(|x| self.operand(*x)).collect();
        let folded = types.len() + reduces.iter().map(|reduce| reduce.neutral.len()).sum::<usize>();
        let further = body.result.get(folded..).ok_or("fewer values than the scans and reductions take")?;
        types.extend(further.iter().map(|x| self.operand(*x)));
        Ok(types)
    }

    fn reduce_results(&self, outer: &[Operand], reduces: &[Reduce]) -> Typed<Vec<ResultType>> {
        let mut types = Vec::new();
        let neutral: Vec<Type> =
            reduces.iter().flat_map(|reduce| &reduce.neutral).map(|x| self.operand(*x)).collect();
        self.wrap_all(&mut types, outer, &neutral)?;
        Ok(types)
    }

    fn partition(&self, classes: usize, body: &Body) -> Typed<Vec<ResultType>> {
        let values = body.result.get(classes..).ok_or("fewer results than classes")?;
        let mut types = vec![ResultType::Plain(Type::I64); classes];
        for class in 0..classes {
            for value in values {
                types.push(rows(Size::Result(class), &self.operand(*value))?);
            }
        }
        Ok(types)
    }

    fn stream(&self, stream: &Stream) -> Typed<Vec<ResultType>> {
        let mut types: Vec<ResultType> =
            stream.accs.iter().map(|acc| ResultType::Plain(self.operand(*acc))).collect();
        for value in stream.lambda.body.result.get(types.len()..).ok_or("fewer results than accumulators")? {
            let ty = self.operand(*value);
            let Type::Array(array) = &ty else { return Err("a chunk that is no array".to_string()) };
            let sizes = std::iter::once(stream.width).chain(array.shape.iter().skip(1).copied());
            types.push(ResultType::Plain(Type::array(array.elem, sizes)));
        }
        Ok(types)
    }

    fn with_acc(&self, with_acc: &WithAcc) -> Vec<ResultType> {
        let arrays = with_acc.inputs.iter().flat_map(|input| &input.arrays).map(|array| self.plain(*array));
        let others = with_acc.lambda.body.result.iter().skip(with_acc.inputs.len());
        arrays.chain(others.map(|value| ResultType::Plain(self.operand(*value)))).collect()
    }

    fn flat_map(&self, flat_map: &FlatMap) -> Typed<Vec<ResultType>> {
        let width = [flat_map.width];
        let mut types = vec![ResultType::Plain(Type::I64), ResultType::Plain(Type::I64.array_of(&width))];
        for row in &flat_map.results {
            types.push(rows(Size::Result(0), row)?);
        }
        let skipped = 1 + flat_map.results.len();
        let further = flat_map.lambda.body.result.get(skipped..).ok_or("fewer results than arrays")?;
        let further: Vec<Type> = further.iter().map(|value| self.operand(*value)).collect();
        self.wrap_all(&mut types, &width, &further)?;
        Ok(types)
    }

    fn seg_op(&self, op: &SegOp) -> Typed<Vec<ResultType>> {
        let space: Vec<Operand> = op.space.iter().map(|dim| dim.extent).collect();
        let outer = &space[..space.len().saturating_sub(1)];
        match &op.kind {
            SegKind::Map => {
                let mut types = Vec::new();
                self.wrap_all(&mut types, &space, &self.result(&op.body))?;
                Ok(types)
            }
            SegKind::Reduce { reduces } => {
                let mut types = self.reduce_results(outer, reduces)?;
                self.wrap_all(&mut types, &space, &self.scanned(&[], reduces, &op.body)?)?;
                Ok(types)
            }
            SegKind::Scan { scans, reduces, post } => {
                let mut types = self.reduce_results(outer, reduces)?;
                let elems = match post {
                    Some(post) => self.result(&post.body),
                    None => self.scanned(scans, reduces, &op.body)?,
                };
                self.wrap_all(&mut types, &space, &elems)?;
                Ok(types)
            }
            SegKind::Partition { classes } => self.partition(*classes, &op.body),
            SegKind::Scatter { dests } => Ok(dests.iter().map(|dest| self.plain(dest.array)).collect()),
            SegKind::Hist { ops } => {
                Ok(ops.iter().flat_map(|op| &op.dests).map(|dest| self.plain(*dest)).collect())
            }
        }
    }

    fn wrap_all(&self, types: &mut Vec<ResultType>, outer: &[Operand], elems: &[Type]) -> Typed<()> {
        for elem in elems {
            types.push(ResultType::Plain(self.wrap(outer, elem)?));
        }
        Ok(())
    }

    /// Returns the type of an array of such values. The type of an accumulator is the same in all iterations.
    fn wrap(&self, outer: &[Operand], elem: &Type) -> Typed<Type> {
        match elem {
            Type::Scalar(_) | Type::Array(_) => Ok(elem.array_of(outer)),
            Type::Acc(_) => Ok(elem.clone()),
            Type::Cert | Type::Mem if outer.is_empty() => Ok(elem.clone()),
            Type::Cert | Type::Mem => Err("certificates and blocks cannot be array elements".to_string()),
        }
    }

    fn result(&self, body: &Body) -> Vec<Type> {
        body.result.iter().map(|x| self.operand(*x)).collect()
    }

    fn array(&self, var: Var) -> Typed<(ScalarType, &[Operand])> {
        match self.function.ty(var) {
            Type::Array(array) => Ok((array.elem, &array.shape)),
            Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem => Err("no array".to_string()),
        }
    }

    fn plain(&self, var: Var) -> ResultType {
        ResultType::Plain(self.var(var))
    }

    fn var(&self, var: Var) -> Type {
        self.function.ty(var).clone()
    }

    fn operand(&self, operand: Operand) -> Type {
        self.function.operand_type(operand)
    }
}

/// Returns a type with its sizes mapped.
fn map_sizes(ty: &Type, size: impl Fn(Operand) -> Size) -> ResultType {
    match ty {
        Type::Array(array) => ResultType::Array(array.elem, array.shape.iter().map(|x| size(*x)).collect()),
        Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem => ResultType::Plain(ty.clone()),
    }
}

/// Returns the type of an array of `outer` such rows.
fn rows(outer: Size, row: &Type) -> Typed<ResultType> {
    let elem = row.elem().ok_or("only scalars and arrays can be array elements")?;
    let sizes = std::iter::once(outer).chain(row.shape().iter().map(|x| Size::Known(*x)));
    Ok(ResultType::Array(elem, sizes.collect()))
}
