//! Float operators that are exact or correctly rounded.
//!
//! f16 is computed in f32 and rounded once: f32 has more than twice its digits, so that sums, products, quotients and square
//! roots are correctly rounded. Only `fma` and the remainders use f64.

use warpwise_prim::TernaryOp;

use super::function::Function;
use super::llvm::{Float, Int, Intrinsic, Mask, Opcode, Precision, Predicate, Type, Value, cast, float, int};

impl Function<'_> {
    pub fn ternary(
        &mut self,
        op: TernaryOp,
        x: &Value<Float>,
        y: &Value<Float>,
        z: &Value<Float>,
    ) -> Value<Float> {
        match op {
            TernaryOp::Fma if x.ty.element == Precision::Half => self.half_fma(x, y, z),
            TernaryOp::Fma => self.text.intrinsic(float::FMA, [x, y, z]),
            TernaryOp::Mad => {
                let product = self.arithmetic(float::MUL, x, y);
                self.arithmetic(float::ADD, &product, z)
            }
            TernaryOp::Lerp => {
                let difference = self.arithmetic(float::SUB, y, x);
                let part = self.arithmetic(float::MUL, &difference, z);
                self.arithmetic(float::ADD, x, &part)
            }
        }
    }

    pub fn float_compare(&mut self, predicate: Predicate<Float>, x: &Value<Float>, y: &Value<Float>) -> Mask {
        let (x, y) = (self.at_least_single(x), self.at_least_single(y));
        self.text.compare(predicate, &x, &y)
    }

    // -- f16 in f32 --------------------------------------------------------------------------

    /// Converts an f16 to f32; leaves other floats unchanged.
    pub fn at_least_single(&mut self, x: &Value<Float>) -> Value<Float> {
        match x.ty.element {
            Precision::Half => self.text.cast(cast::FPEXT, x, Precision::Single),
            Precision::Single | Precision::Double => x.clone(),
        }
    }

    /// Computes f16 in f32 and rounds the result; computes other floats directly.
    pub fn in_single<const N: usize>(
        &mut self,
        args: [&Value<Float>; N],
        compute: impl FnOnce(&mut Self, [&Value<Float>; N]) -> Value<Float>,
    ) -> Value<Float> {
        let precision = args[0].ty.element;
        let wide = args.map(|x| self.at_least_single(x));
        let result = compute(self, wide.each_ref());
        match precision {
            Precision::Half => self.text.cast(cast::FPTRUNC, &result, precision),
            Precision::Single | Precision::Double => result,
        }
    }

    pub fn arithmetic(&mut self, opcode: Opcode<Float>, x: &Value<Float>, y: &Value<Float>) -> Value<Float> {
        self.in_single([x, y], |f, [x, y]| f.text.binary(opcode, x, y))
    }

    pub fn rounded_by(&mut self, intrinsic: Intrinsic<Float, 1>, x: &Value<Float>) -> Value<Float> {
        self.in_single([x], |f, [x]| f.text.intrinsic(intrinsic, [x]))
    }

    pub fn reciprocal_root(&mut self, x: &Value<Float>) -> Value<Float> {
        let root = self.rounded_by(float::SQRT, x);
        self.arithmetic(float::DIV, &x.ty.constant(1.0), &root)
    }

    /// Refines the machine's 14-bit estimate by Newton steps: one for f32, two for f64. If the first step's correction is NaN,
    /// the argument is 0, infinite, negative or NaN, and the estimate is the result.
    pub fn estimated_reciprocal_root(&mut self, x: &Value<Float>) -> Value<Float> {
        let (name, steps) = match x.ty.element {
            Precision::Single if self.target.mask_registers => ("ps", 1),
            Precision::Double if self.target.mask_registers => ("pd", 2),
            Precision::Half | Precision::Single | Precision::Double => return self.reciprocal_root(x),
        };
        let estimate = self.by_machine_vectors(&[x], |f, args| f.root_estimate(name, &args[0]));
        let (first, correction) = self.newton_step(x, &estimate);
        let refined = if steps == 2 { self.newton_step(x, &first).0 } else { first };
        let corrects = self.text.compare(float::ORD, &correction, &correction);
        self.text.select(&corrects, &refined, &estimate)
    }

    /// Computes y + y/2 * (1 - x*y*y); also returns the factor in parentheses.
    fn newton_step(&mut self, x: &Value<Float>, y: &Value<Float>) -> (Value<Float>, Value<Float>) {
        let root = self.text.binary(float::MUL, x, y);
        let negated = self.float_bits(int::XOR, &root, i64::MIN);
        let correction = self.text.intrinsic(float::FMA, [&negated, y, &x.ty.constant(1.0)]);
        let half = self.text.binary(float::MUL, y, &x.ty.constant(0.5));
        (self.text.intrinsic(float::FMA, [&half, &correction, y]), correction)
    }

    /// Computes the estimate for one machine vector.
    fn root_estimate(&mut self, name: &str, x: &Value<Float>) -> Value<Float> {
        let name = format!("llvm.x86.avx512.rsqrt14.{name}.{}", x.ty.bits() * x.ty.lanes);
        let all = Type::int(x.ty.lanes.max(8)).constant(-1);
        self.text.call(x.ty, &name, &[x, &x.ty.zero(), &all], "nounwind willreturn memory(none)")
    }

    /// Computes `fma` in f64. The product is exact, and so is the sum wherever bits below its last one could decide how the
    /// result is rounded: within the range of f16 the operands are not further apart.
    fn half_fma(&mut self, x: &Value<Float>, y: &Value<Float>, z: &Value<Float>) -> Value<Float> {
        let [x, y, z] = [x, y, z].map(|value| self.double_of(value));
        let product = self.text.binary(float::MUL, &x, &y);
        let sum = self.text.binary(float::ADD, &product, &z);
        self.rounded_from_double(&sum, Precision::Half)
    }

    // -- bits --------------------------------------------------------------------------------

    /// Combines the bits of a float with `mask`, whose top bit stands for the sign and whose other bits stand for the rest.
    pub fn float_bits(&mut self, opcode: Opcode<Int>, x: &Value<Float>, mask: i64) -> Value<Float> {
        let bits = self.text.bits(x);
        let result = self.text.binary_int(opcode, &bits, mask >> (64 - x.ty.bits()));
        self.text.float_of_bits(&result, x.ty.element)
    }

    pub fn copy_sign(&mut self, x: &Value<Float>, y: &Value<Float>) -> Value<Float> {
        let sign_bit = 1i64 << (x.ty.bits() - 1);
        let (x_bits, y_bits) = (self.text.bits(x), self.text.bits(y));
        let magnitude = self.text.binary_int(int::AND, &x_bits, !sign_bit);
        let sign = self.text.binary_int(int::AND, &y_bits, sign_bit);
        let result = self.text.binary(int::OR, &magnitude, &sign);
        self.text.float_of_bits(&result, x.ty.element)
    }

    pub fn float_signum(&mut self, x: &Value<Float>) -> Value<Float> {
        let (positive, negative) =
            (self.text.compare_float(float::OGT, x, 0.0), self.text.compare_float(float::OLT, x, 0.0));
        let other = self.text.select(&negative, &x.ty.constant(-1.0), x);
        self.text.select(&positive, &x.ty.constant(1.0), &other)
    }

    /// Computes the next float in the direction of `y`. Neighbouring floats of one sign have neighbouring bits.
    pub fn next_after(&mut self, x: &Value<Float>, y: &Value<Float>) -> Value<Float> {
        let (ty, precision) = (x.ty.as_int(), x.ty.element);
        let bits = self.text.bits(x);
        let rises = self.float_compare(float::OLT, x, y);
        let positive = self.text.compare_int(int::SGE, &bits, 0);
        let towards_zero = self.text.xor(&rises, &positive);
        let step = self.text.select(&towards_zero, &ty.constant(-1), &ty.constant(1));
        let stepped = self.text.binary(int::ADD, &bits, &step);
        let stepped = self.text.float_of_bits(&stepped, precision);

        let least = self.text.float_of_bits(&ty.constant(1), precision);
        let off_zero = self.copy_sign(&least, y);
        let from_zero = self.float_compare(float::OEQ, x, &x.ty.constant(0.0));
        let moved = self.text.select(&from_zero, &off_zero, &stepped);
        let equal = self.float_compare(float::OEQ, x, y);
        let moved = self.text.select(&equal, y, &moved);
        let ordered = self.float_compare(float::ORD, x, y);
        let sum = self.arithmetic(float::ADD, x, y);
        self.text.select(&ordered, &moved, &sum)
    }
}
