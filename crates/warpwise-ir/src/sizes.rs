//! Sizes that a program computes: sums, differences and products that are checked to stay in the range of `i64`.
//!
//! A size is a number, not a machine word. Every computed extent of an array, a block or an iteration space is computed here,
//! together with the condition under which it is correct. The caller asserts that condition, with a message that names the
//! operands ([`SizeOp::overflow`]), and names the certificate where it relies on the size.
//!
//! ```text
//! n * m        size: i64 = mul n m;  high: i64 = smulh n m;  sign: i64 = ashr size 63;  fits: bool = eq high sign
//! n + m        size: i64 = add n m;                                                     fits: bool = sle 0 size
//! n * 4        size: i64 = mul n 4;                                        fits: bool = sle n 2305843009213693951
//! ```
//!
//! For two constants, or with a neutral operand, nothing is emitted and the condition is `true`. Conclusions from the extents of
//! existing arrays are left to the simplifier.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use crate::builder::Builder;
use crate::expr::{Expr, Message, MessagePart};
use crate::program::Var;
use crate::soac::{Reduce, Scan, Screma};
use crate::types::{Operand, Type};

/// Code to which scalar operations are added.
pub trait ScalarCode {
    /// Adds `op x y`, which cannot fail.
    fn binary(&mut self, name: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand;

    /// Adds `op x y`, a `bool`.
    fn compare(&mut self, name: &str, op: CompareOp, x: Operand, y: Operand) -> Operand;

    /// Adds `select c x y`.
    fn select(&mut self, name: &str, cond: Operand, x: Operand, y: Operand) -> Operand;

    /// Returns whether the operand is known not to be negative.
    fn is_size(&self, operand: Operand) -> bool {
        constant(operand).is_some_and(|value| value >= 0)
    }
}

/// An operation on sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
}

/// A size, and whether it equals the exact result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The size; arbitrary if it does not fit.
    pub value: Operand,
    /// Whether it fits, a `bool`.
    pub fits: Operand,
}

impl SizeOp {
    /// Returns the size operation of a scalar operator on `i64`, if there is one.
    pub fn of(op: BinaryOp) -> Option<SizeOp> {
        [SizeOp::Add, SizeOp::Sub, SizeOp::Mul].into_iter().find(|size| size.binary() == op)
    }

    fn binary(self) -> BinaryOp {
        match self {
            SizeOp::Add => BinaryOp::Add,
            SizeOp::Sub => BinaryOp::Sub,
            SizeOp::Mul => BinaryOp::Mul,
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            SizeOp::Add => " + ",
            SizeOp::Sub => " - ",
            SizeOp::Mul => " * ",
        }
    }

    fn exact(self, x: i64, y: i64) -> Option<i64> {
        match self {
            SizeOp::Add => x.checked_add(y),
            SizeOp::Sub => x.checked_sub(y),
            SizeOp::Mul => x.checked_mul(y),
        }
    }

    /// Emits the computation for any operands.
    pub fn compute(self, code: &mut impl ScalarCode, x: Operand, y: Operand) -> Checked {
        let fine = |value| Checked { value, fits: Operand::bool(true) };
        match (self, constant(x), constant(y)) {
            (_, Some(a), Some(b)) => {
                let exact = self.exact(a, b);
                let value = Operand::i64(exact.unwrap_or(i64::MAX));
                return Checked { value, fits: Operand::bool(exact.is_some()) };
            }
            (SizeOp::Add | SizeOp::Sub, _, Some(0)) | (SizeOp::Mul, _, Some(1)) => return fine(x),
            (SizeOp::Add, Some(0), _) | (SizeOp::Mul, Some(1), _) => return fine(y),
            (SizeOp::Mul, Some(0), _) | (SizeOp::Mul, _, Some(0)) => return fine(Operand::i64(0)),
            _ => {}
        }
        let value = code.binary("size", self.binary(), x, y);
        let fits = match self {
            SizeOp::Add => sum_fits(code, x, y, value),
            SizeOp::Sub => difference_fits(code, x, y, value),
            SizeOp::Mul => product_fits(code, x, y, value),
        };
        Checked { value, fits }
    }

    /// Returns the message for a size that does not fit.
    pub fn overflow(self, x: Operand, y: Operand) -> Vec<MessagePart> {
        let text = |text: &str| MessagePart::Text(text.to_string());
        vec![text("Size "), number(x), text(self.symbol()), number(y), text(TOO_LARGE)]
    }
}

/// End of the message for a size that does not fit.
const TOO_LARGE: &str = " does not fit in 64 bits";

/// Returns the message for an array whose number of elements does not fit.
pub fn too_many_elements(shape: &[Operand]) -> Vec<MessagePart> {
    too_many("The number of elements of shape ", shape)
}

/// Returns the message for an iteration space whose number of points does not fit.
pub fn too_many_points(extents: &[Operand]) -> Vec<MessagePart> {
    too_many("The number of iterations of shape ", extents)
}

fn too_many(what: &str, shape: &[Operand]) -> Vec<MessagePart> {
    let text = |text: &str| MessagePart::Text(text.to_string());
    let mut parts = vec![text(what)];
    parts.extend(shape.iter().flat_map(|&size| [text("["), number(size), text("]")]));
    parts.push(text(TOO_LARGE));
    parts
}

/// Computes the number of elements of an array of this shape. The result is exact if one of the extents is 0 or the number fits;
/// otherwise it is the greatest `i64`, which no array has.
pub fn elements(code: &mut impl ScalarCode, shape: &[Operand]) -> Checked {
    let mut factors = shape.iter().copied();
    let Some(first) = factors.next() else {
        return Checked { value: Operand::i64(1), fits: Operand::bool(true) };
    };
    match (factors.next(), shape.len()) {
        (None, _) => Checked { value: first, fits: Operand::bool(true) },
        (Some(second), 2) => SizeOp::Mul.compute(code, first, second),
        // A later extent of 0 makes an overflow of earlier ones irrelevant.
        (Some(second), _) => {
            let value = std::iter::once(second).chain(factors);
            let value = value.fold(first, |product, size| saturating_product(code, product, size));
            let fits = match constant(value) {
                Some(value) => Operand::bool(value < i64::MAX),
                None => code.compare("fits", CompareOp::SLt, value, Operand::i64(i64::MAX)),
            };
            Checked { value, fits }
        }
    }
}

/// Computes the product of two sizes, or the greatest `i64` if it does not fit: more bytes than an allocator grants, and more
/// iterations than a run completes.
pub fn saturating_product(code: &mut impl ScalarCode, x: Operand, y: Operand) -> Operand {
    let Checked { value, fits } = SizeOp::Mul.compute(code, x, y);
    if fits == Operand::bool(true) {
        value
    } else {
        code.select("bytes", fits, value, Operand::i64(i64::MAX))
    }
}

/// Computes the sum of two sizes or of such sums, or the greatest `i64` if it does not fit. The operation is associative.
pub fn saturating_sum(code: &mut impl ScalarCode, x: Operand, y: Operand) -> Operand {
    let sum = code.binary("sum", BinaryOp::Add, x, y);
    code.binary("sum", BinaryOp::UMin, sum, Operand::i64(i64::MAX))
}

/// Returns whether a sum fits. If one operand is not negative, only the sum of two nonnegative operands can leave the range, and
/// is negative then.
fn sum_fits(code: &mut impl ScalarCode, x: Operand, y: Operand, sum: Operand) -> Operand {
    let zero = Operand::i64(0);
    let (x, y) = if code.is_size(x) { (x, y) } else { (y, x) };
    match (code.is_size(x), code.is_size(y), constant(x), constant(y)) {
        (true, _, _, Some(..0)) => Operand::bool(true),
        (true, true, Some(c), _) => code.compare("fits", CompareOp::SLe, y, Operand::i64(i64::MAX - c)),
        (true, true, _, Some(c)) => code.compare("fits", CompareOp::SLe, x, Operand::i64(i64::MAX - c)),
        (true, true, ..) => code.compare("fits", CompareOp::SLe, zero, sum),
        (true, false, ..) => {
            // y < 0 or 0 <= sum.
            let other = code.binary("other", BinaryOp::Xor, y, Operand::i64(-1));
            let wrong = code.binary("wrong", BinaryOp::And, other, sum);
            code.compare("fits", CompareOp::SLe, zero, wrong)
        }
        (false, ..) => {
            let (left, right) =
                (code.binary("left", BinaryOp::Xor, x, sum), code.binary("right", BinaryOp::Xor, y, sum));
            let wrong = code.binary("wrong", BinaryOp::And, left, right);
            code.compare("fits", CompareOp::SLe, zero, wrong)
        }
    }
}

fn difference_fits(code: &mut impl ScalarCode, x: Operand, y: Operand, difference: Operand) -> Operand {
    let zero = Operand::i64(0);
    match (code.is_size(x), code.is_size(y)) {
        (true, true) => Operand::bool(true),
        (true, false) => {
            // 0 <= y or 0 <= difference.
            let wrong = code.binary("wrong", BinaryOp::And, y, difference);
            code.compare("fits", CompareOp::SLe, zero, wrong)
        }
        (false, _) => {
            let apart = code.binary("apart", BinaryOp::Xor, x, y);
            let turned = code.binary("turned", BinaryOp::Xor, x, difference);
            let wrong = code.binary("wrong", BinaryOp::And, apart, turned);
            code.compare("fits", CompareOp::SLe, zero, wrong)
        }
    }
}

fn product_fits(code: &mut impl ScalarCode, x: Operand, y: Operand, product: Operand) -> Operand {
    let (factor, other) = if constant(x).is_some() { (x, y) } else { (y, x) };
    if let Some(factor @ 1..) = constant(factor)
        && code.is_size(other)
    {
        return code.compare("fits", CompareOp::SLe, other, Operand::i64(i64::MAX / factor));
    }
    let high = code.binary("high", BinaryOp::SMulHigh, x, y);
    let sign = code.binary("sign", BinaryOp::AShr, product, Operand::i64(63));
    code.compare("fits", CompareOp::Eq, high, sign)
}

fn number(value: Operand) -> MessagePart {
    match constant(value) {
        Some(value) => MessagePart::Text(value.to_string()),
        None => MessagePart::Value(value, ValueType::I64),
    }
}

fn constant(operand: Operand) -> Option<i64> {
    operand.as_const().filter(|value| value.ty() == ScalarType::I64).and_then(Scalar::as_int)
}

/// Size operands of a builder are sizes of arrays: not negative.
impl ScalarCode for Builder<'_> {
    fn binary(&mut self, name: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        Builder::binary(self, name, op, x, y)
    }

    fn compare(&mut self, name: &str, op: CompareOp, x: Operand, y: Operand) -> Operand {
        Builder::compare(self, name, op, x, y)
    }

    fn select(&mut self, name: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        Builder::select(self, name, cond, x, y)
    }

    fn is_size(&self, operand: Operand) -> bool {
        constant(operand).is_none_or(|value| value >= 0)
    }
}

impl Builder<'_> {
    /// Computes a size from sizes that are not negative; also returns the certificate that it fits, unless that is evident.
    pub fn size(&mut self, op: SizeOp, x: Operand, y: Operand) -> (Operand, Option<Var>) {
        let Checked { value, fits } = op.compute(self, x, y);
        (value, self.check_size(fits, || op.overflow(x, y)))
    }

    /// Computes the number of elements of arrays of this shape; also returns the certificate that it fits, unless that is
    /// evident.
    pub fn elements(&mut self, shape: &[Operand]) -> (Operand, Option<Var>) {
        let Checked { value, fits } = elements(self, shape);
        (value, self.check_size(fits, || too_many_elements(shape)))
    }

    /// Computes the sum of `width` sizes, which is checked to fit, and the exclusive prefix sums.
    pub fn offsets(&mut self, width: Operand, sizes: Var) -> (Operand, Var) {
        let map = self.lambda(&[("k", Type::I64)], |_, x| vec![x[0].into(); 3]);
        let neutral = vec![Operand::i64(0)];
        let op = self.operator(BinaryOp::Add, ScalarType::I64);
        let scans = vec![Scan { op, neutral: neutral.clone(), exclusive: true }];
        let reduces = [BinaryOp::Add, BinaryOp::SMax].map(|op| {
            let op = self.operator(op, ScalarType::I64);
            Reduce { op, neutral: neutral.clone(), commutative: true }
        });
        let sums = Screma { width, inputs: vec![sizes], map, scans, reduces: reduces.into(), post: None };
        let results = self.bind("starts", Expr::Screma(Box::new(sums)));
        self.check_total(width, sizes, results[1].into());
        (results[0].into(), results[2])
    }

    /// Returns the certificate that the sum of these sizes fits; `most` is the greatest of them. The exact sum is computed only
    /// if `width` times `most` might not fit.
    fn check_total(&mut self, width: Operand, sizes: Var, most: Operand) -> Var {
        let some = Builder::binary(self, "some", BinaryOp::SMax, width, 1);
        let each = Builder::binary(self, "each", BinaryOp::UDiv, i64::MAX, some);
        let few = Builder::compare(self, "few", CompareOp::SLe, most, each);
        let exactly = |b: &mut Self| {
            let map = b.identity(&[Type::I64]);
            let params = [("x", Type::I64), ("y", Type::I64)];
            let op = b.lambda(&params, |b, x| vec![saturating_sum(b, x[0].into(), x[1].into())]);
            let reduce = Reduce { op, neutral: vec![Operand::i64(0)], commutative: true };
            let total = b.map_reduce("total", width, &[sizes], map, reduce)[0];
            vec![Builder::compare(b, "fits", CompareOp::SLt, total, i64::MAX)]
        };
        let fits = self.branch("fits", few, |_| vec![Operand::bool(true)], exactly)[0];
        let text = |text: &str| MessagePart::Text(text.to_string());
        let parts = vec![text("The sum of "), number(width), text(&format!(" sizes{TOO_LARGE}"))];
        self.assert(fits, Message { parts, calls: Vec::new() })
    }

    fn check_size(&mut self, fits: Operand, parts: impl FnOnce() -> Vec<MessagePart>) -> Option<Var> {
        let plain = fits == Operand::bool(true);
        (!plain).then(|| self.assert(fits, Message { parts: parts(), calls: Vec::new() }))
    }
}
