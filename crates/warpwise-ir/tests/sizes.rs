//! Sizes compared with wider arithmetic.

use warpwise_ir::entity::Entity;
use warpwise_ir::sizes::{Checked, ScalarCode, SizeOp, elements, saturating_product, saturating_sum};
use warpwise_ir::{Operand, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

/// Code that is evaluated immediately; the values of variables are not known in advance.
#[derive(Default)]
struct Evaluated {
    values: Vec<Scalar>,
    /// Whether variables are known not to be negative.
    sizes: bool,
}

impl Evaluated {
    fn var(&mut self, value: Scalar) -> Operand {
        self.values.push(value);
        Var::new(self.values.len() - 1).into()
    }

    fn value(&self, operand: Operand) -> Scalar {
        match operand {
            Operand::Const(value) => value,
            Operand::Var(var) => self.values[var.index()],
        }
    }

    fn int(&self, operand: Operand) -> i64 {
        self.value(operand).as_int().unwrap()
    }

    fn holds(&self, operand: Operand) -> bool {
        self.value(operand) == Scalar::Bool(true)
    }
}

impl ScalarCode for Evaluated {
    fn binary(&mut self, _: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        let value = op.eval(self.value(x), self.value(y)).unwrap();
        self.var(value)
    }

    fn compare(&mut self, _: &str, op: CompareOp, x: Operand, y: Operand) -> Operand {
        let holds = op.eval(self.value(x), self.value(y));
        self.var(Scalar::Bool(holds))
    }

    fn select(&mut self, _: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        let chosen = self.value(if self.holds(cond) { x } else { y });
        self.var(chosen)
    }

    fn is_size(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(value) => value.as_int() >= Some(0),
            Operand::Var(_) => self.sizes,
        }
    }
}

/// Returns numbers around critical values.
fn numbers() -> Vec<i64> {
    let mut numbers = vec![i64::MIN, i64::MIN + 1, -7, -2, -1, 0, 1, 2, 3, 5, 1000];
    for shift in [31, 32, 61, 62, 63] {
        let power = 1_i128 << shift;
        numbers.extend([power - 1, power, power + 1].iter().filter_map(|&n| i64::try_from(n).ok()));
    }
    numbers.extend([3_037_000_499, 3_037_000_500, 6_148_914_691_236_517_206, -3_037_000_500]);
    numbers
}

fn exact(op: SizeOp, x: i64, y: i64) -> i128 {
    let (x, y) = (i128::from(x), i128::from(y));
    match op {
        SizeOp::Add => x + y,
        SizeOp::Sub => x - y,
        SizeOp::Mul => x * y,
    }
}

#[test]
fn what_fits_is_exact_and_what_does_not_is_seen() {
    for op in [SizeOp::Add, SizeOp::Sub, SizeOp::Mul] {
        for x in numbers() {
            for y in numbers() {
                for form in 0..8 {
                    let sizes = form >= 4;
                    if sizes && (x < 0 || y < 0) {
                        continue;
                    }
                    let mut code = Evaluated { sizes, ..Evaluated::default() };
                    let operand = |code: &mut Evaluated, hidden: bool, value: i64| match hidden {
                        true => code.var(Scalar::I64(value)),
                        false => Operand::i64(value),
                    };
                    let (a, b) = (operand(&mut code, form & 1 != 0, x), operand(&mut code, form & 2 != 0, y));
                    let Checked { value, fits } = op.compute(&mut code, a, b);
                    let wanted = i64::try_from(exact(op, x, y)).ok();
                    assert_eq!(code.holds(fits), wanted.is_some(), "{op:?} {x} {y} {form}");
                    if let Some(wanted) = wanted {
                        assert_eq!(code.int(value), wanted, "{op:?} {x} {y} {form}");
                    }
                }
            }
        }
    }
}

#[test]
fn constants_need_no_code() {
    let mut code = Evaluated::default();
    let known = SizeOp::Mul.compute(&mut code, Operand::i64(6), Operand::i64(7));
    assert_eq!(known, Checked { value: Operand::i64(42), fits: Operand::bool(true) });
    let large = SizeOp::Add.compute(&mut code, Operand::i64(i64::MAX), Operand::i64(1));
    assert_eq!(large.fits, Operand::bool(false));
    let n = Var::new(0).into();
    for (op, by) in [(SizeOp::Add, 0), (SizeOp::Sub, 0), (SizeOp::Mul, 1)] {
        let same = op.compute(&mut code, n, Operand::i64(by));
        assert_eq!(same, Checked { value: n, fits: Operand::bool(true) });
    }
    assert!(code.values.is_empty());
}

#[test]
fn an_extent_of_zero_makes_up_for_all_others() {
    let sizes: Vec<i64> = numbers().into_iter().filter(|&n| n >= 0).collect();
    for &x in &sizes {
        for &y in &sizes {
            for &z in &sizes {
                let mut code = Evaluated { sizes: true, ..Evaluated::default() };
                let shape = [x, y, z].map(|size| code.var(Scalar::I64(size)));
                let Checked { value, fits } = elements(&mut code, &shape);
                let all = [y, z].iter().fold(i128::from(x), |all, &size| {
                    if all == 0 { 0 } else { all.saturating_mul(i128::from(size)) }
                });
                let all = if [x, y, z].contains(&0) { 0 } else { all };
                assert_eq!(code.holds(fits), all < i128::from(i64::MAX), "{x} {y} {z}");
                if all < i128::from(i64::MAX) {
                    assert_eq!(i128::from(code.int(value)), all, "{x} {y} {z}");
                }
            }
        }
    }
}

#[test]
fn saturating_operations_stop_at_the_greatest_number() {
    let sizes: Vec<i64> = numbers().into_iter().filter(|&n| n >= 0).collect();
    for &x in &sizes {
        for &y in &sizes {
            let mut code = Evaluated { sizes: true, ..Evaluated::default() };
            let (a, b) = (code.var(Scalar::I64(x)), code.var(Scalar::I64(y)));
            let (sum, product) = (saturating_sum(&mut code, a, b), saturating_product(&mut code, a, b));
            assert_eq!((code.int(sum), code.int(product)), (x.saturating_add(y), x.saturating_mul(y)));
        }
    }
}
