//! Float operators that are exact or correctly rounded.
//!
//! f16 is computed in f32 and rounded once: f32 has more than twice its digits, which makes sums,
//! products, quotients and square roots correctly rounded. Only `fma` and the remainders take f64.

use warpwise_prim::TernaryOp;

use super::function::Function;
use super::text::{Element, Type, Value};

impl Function<'_> {
    pub fn ternary(&mut self, op: TernaryOp, x: &Value, y: &Value, z: &Value) -> Value {
        match op {
            TernaryOp::Fma if x.ty.element == Element::Half => self.half_fma(x, y, z),
            TernaryOp::Fma => self.text.intrinsic("fma", &[x, y, z]),
            TernaryOp::Mad => {
                let product = self.arithmetic("fmul", x, y);
                self.arithmetic("fadd", &product, z)
            }
            TernaryOp::Lerp => {
                let difference = self.arithmetic("fsub", y, x);
                let part = self.arithmetic("fmul", &difference, z);
                self.arithmetic("fadd", x, &part)
            }
        }
    }

    pub fn float_compare(&mut self, predicate: &str, x: &Value, y: &Value) -> Value {
        let (x, y) = (self.at_least_float(x), self.at_least_float(y));
        self.text.fcmp(predicate, &x, &y)
    }

    // -- f16 in f32 --------------------------------------------------------------------------

    /// An f16 as f32, others as they are.
    pub fn at_least_float(&mut self, x: &Value) -> Value {
        if x.ty.element == Element::Half {
            self.text.cast("fpext", x, x.ty.of(Element::Float))
        } else {
            x.clone()
        }
    }

    /// Computes f16 in f32 and rounds the result; others as they are.
    pub fn in_float<const N: usize>(
        &mut self,
        args: [&Value; N],
        compute: impl FnOnce(&mut Self, [&Value; N]) -> Value,
    ) -> Value {
        let element = args[0].ty.element;
        let wide = args.map(|x| self.at_least_float(x));
        let result = compute(self, wide.each_ref());
        if element == Element::Half {
            self.text.cast("fptrunc", &result, result.ty.of(element))
        } else {
            result
        }
    }

    pub fn arithmetic(&mut self, opcode: &str, x: &Value, y: &Value) -> Value {
        self.in_float([x, y], |f, [x, y]| f.text.binary(opcode, x, y))
    }

    pub fn rounded_by(&mut self, intrinsic: &str, x: &Value) -> Value {
        self.in_float([x], |f, [x]| f.text.intrinsic(intrinsic, &[x]))
    }

    pub fn reciprocal_root(&mut self, x: &Value) -> Value {
        let root = self.rounded_by("sqrt", x);
        self.arithmetic("fdiv", &x.ty.float_constant(1.0), &root)
    }

    /// From the machine's estimate of 14 bits, by Newton's steps: one for f32, two for f64. Where the first
    /// step's correction is no number, the argument is 0, infinite, negative or no number, and the estimate is the result.
    pub fn estimated_reciprocal_root(&mut self, x: &Value) -> Value {
        if !self.target.mask_registers || !matches!(x.ty.element, Element::Float | Element::Double) {
            return self.reciprocal_root(x);
        }
        let estimate = self.by_machine_vectors(&[x], |f, args| f.root_estimate(args[0]));
        let (first, correction) = self.newton_step(x, &estimate);
        let refined = match x.ty.element {
            Element::Double => self.newton_step(x, &first).0,
            _ => first,
        };
        let corrects = self.text.fcmp("ord", &correction, &correction);
        self.text.select(&corrects, &refined, &estimate)
    }

    /// y + y/2 * (1 - x*y*y), and the factor in parentheses.
    fn newton_step(&mut self, x: &Value, y: &Value) -> (Value, Value) {
        let root = self.text.binary("fmul", x, y);
        let negated = self.float_bits("xor", &root, i64::MIN);
        let correction = self.text.intrinsic("fma", &[&negated, y, &x.ty.float_constant(1.0)]);
        let half = self.text.binary("fmul", y, &x.ty.float_constant(0.5));
        (self.text.intrinsic("fma", &[&half, &correction, y]), correction)
    }

    /// The estimate for one machine vector.
    fn root_estimate(&mut self, x: &Value) -> Value {
        let element = if x.ty.element == Element::Double { "pd" } else { "ps" };
        let name = format!("llvm.x86.avx512.rsqrt14.{element}.{}", x.ty.bits() * x.ty.lanes);
        let mask = Type { element: Element::Int(x.ty.lanes.max(8)), lanes: 1 };
        self.text.call(
            x.ty,
            &name,
            &[x, &x.ty.zero(), &mask.int_constant(-1)],
            "nounwind willreturn memory(none)",
        )
    }

    /// f64 holds the product exactly, and the sum exactly wherever bits below its last could decide
    /// how the result is rounded: within the range of f16 the operands are not further apart.
    fn half_fma(&mut self, x: &Value, y: &Value, z: &Value) -> Value {
        let [x, y, z] = [x, y, z].map(|value| self.double_of(value));
        let product = self.text.binary("fmul", &x, &y);
        let sum = self.text.binary("fadd", &product, &z);
        self.rounded_from_double(&sum, Element::Half)
    }

    // -- bits --------------------------------------------------------------------------------

    /// Combines the bits of a float with `mask`, whose top bit stands for the sign and others for the rest.
    pub fn float_bits(&mut self, opcode: &str, x: &Value, mask: i64) -> Value {
        let ty = x.ty.as_int();
        let bits = self.text.cast("bitcast", x, ty);
        let result = self.text.binary_int(opcode, &bits, mask >> (64 - ty.bits()));
        self.text.cast("bitcast", &result, x.ty)
    }

    pub fn copy_sign(&mut self, x: &Value, y: &Value) -> Value {
        let ty = x.ty.as_int();
        let (x_bits, y_bits) = (self.text.cast("bitcast", x, ty), self.text.cast("bitcast", y, ty));
        let magnitude = self.text.binary_int("and", &x_bits, !sign_bit(ty));
        let sign = self.text.binary_int("and", &y_bits, sign_bit(ty));
        let result = self.text.binary("or", &magnitude, &sign);
        self.text.cast("bitcast", &result, x.ty)
    }

    pub fn float_signum(&mut self, x: &Value) -> Value {
        let (positive, negative) = (self.text.fcmp_const("ogt", x, 0.0), self.text.fcmp_const("olt", x, 0.0));
        let other = self.text.select(&negative, &x.ty.float_constant(-1.0), x);
        self.text.select(&positive, &x.ty.float_constant(1.0), &other)
    }

    /// Neighbouring floats of one sign have neighbouring bits.
    pub fn next_after(&mut self, x: &Value, y: &Value) -> Value {
        let ty = x.ty.as_int();
        let bits = self.text.cast("bitcast", x, ty);
        let rises = self.float_compare("olt", x, y);
        let positive = self.text.icmp_int("sge", &bits, 0);
        let towards_zero = self.text.binary("xor", &rises, &positive);
        let step = self.text.select(&towards_zero, &ty.int_constant(-1), &ty.int_constant(1));
        let stepped = self.text.binary("add", &bits, &step);
        let stepped = self.text.cast("bitcast", &stepped, x.ty);

        let least = self.text.cast("bitcast", &ty.int_constant(1), x.ty);
        let off_zero = self.copy_sign(&least, y);
        let zero = x.ty.float_constant(0.0);
        let from_zero = self.float_compare("oeq", x, &zero);
        let moved = self.text.select(&from_zero, &off_zero, &stepped);
        let equal = self.float_compare("oeq", x, y);
        let moved = self.text.select(&equal, y, &moved);
        let ordered = self.float_compare("ord", x, y);
        let sum = self.arithmetic("fadd", x, y);
        self.text.select(&ordered, &moved, &sum)
    }
}

fn sign_bit(ty: Type) -> i64 {
    1i64 << (ty.bits() - 1)
}
