//! Checks that may fail, on values that are used or not: in straight code, in branches that agree, in loops that return their own
//! variable, in operators that fail on their neutral elements.
//!
//! Every check guards one value, and its message begins with its number. Hence a test can request the same program without some
//! of its checks, or with the value of one changed: if that makes no difference, nothing needed the value.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use super::Generator;
use super::scalars::constant;
use super::soacs::Operator;
use crate::builder::Builder;
use crate::expr::{LoopParam, Message, MessagePart};
use crate::types::{Operand, Type};

/// The selection of checks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// Whether all checks are left out.
    pub none: bool,
    /// Numbers of the checks that are left out.
    pub without: Vec<usize>,
    /// Number of the check whose value is changed.
    pub changed: Option<usize>,
}

impl Checks {
    /// Returns the number with which the message of a check begins.
    pub fn number(message: &str) -> Option<usize> {
        message.strip_prefix("check ")?.split(':').next()?.parse().ok()
    }
}

/// A check to generate.
#[derive(Clone, Copy)]
struct Check {
    number: usize,
    /// Whether it is generated.
    made: bool,
    /// Whether its value is changed.
    changed: bool,
}

impl Check {
    /// Returns `x` guarded by the check.
    fn guard(self, b: &mut Builder, holds: Operand, x: Operand) -> Operand {
        if self.made {
            let ty = b.function.operand_type(x).as_scalar().unwrap_or(ScalarType::I64);
            let shown = ValueType::from_name(ty.name()).unwrap_or(ValueType::I64);
            let parts =
                vec![MessagePart::Text(format!("check {}: ", self.number)), MessagePart::Value(x, shown)];
            b.assert(holds, Message { parts, calls: Vec::new() });
        }
        self.value(b, x)
    }

    fn value(self, b: &mut Builder, x: Operand) -> Operand {
        match b.function.operand_type(x).as_scalar() {
            Some(ty) if self.changed => b.binary("other", BinaryOp::Add, x, Scalar::int(ty, 1)),
            _ => x,
        }
    }
}

impl Generator<'_> {
    fn check(&mut self) -> Check {
        let number = *self.checks;
        *self.checks += 1;
        let wanted = self.options.failing.clone().unwrap_or_default();
        Check {
            number,
            made: !wanted.none && !wanted.without.contains(&number),
            changed: wanted.changed == Some(number),
        }
    }

    fn integer_type(&mut self) -> ScalarType {
        self.random.pick(&[ScalarType::I64, ScalarType::I32, ScalarType::I8, ScalarType::I16])
    }

    /// Computes a condition that holds in most cases.
    fn likely(&mut self) -> Operand {
        let ty = self.integer_type();
        let (x, unlikely) = (self.scalar(ty), constant(self.random, ty));
        self.b.compare("ok", CompareOp::Ne, x, unlikely)
    }

    /// Adds a value guarded by a check, in one of several forms.
    pub(super) fn checked(&mut self) {
        let ty = self.integer_type();
        let (x, holds) = (self.scalar(ty), self.likely());
        let check = self.check();
        let var = match self.random.below(4) {
            0 => {
                let value = check.guard(&mut self.b, holds, x);
                self.b.bind_one("y", crate::expr::Expr::Operand(value))
            }
            1 => {
                let cond = self.scalar(ScalarType::Bool);
                let then_build = |b: &mut Builder| vec![check.guard(b, holds, x)];
                self.b.branch("y", cond, then_build, |_| vec![x])[0]
            }
            2 => {
                let var = self.b.function.fresh("own", Type::Scalar(ty));
                let params = vec![LoopParam { var, init: x, consumed: false }];
                let turns = Operand::i64(self.random.below(4) as i64);
                self.b.for_loop("y", turns, params, |b, _, params| {
                    vec![check.guard(b, holds, params[0].var.into())]
                })[0]
            }
            _ => {
                let var = self.b.function.fresh("own", Type::Scalar(ty));
                let params = vec![LoopParam { var, init: x, consumed: false }];
                let unlikely = self.random.below(8) as i64;
                self.b.for_loop("y", 3i64, params, |b, index, params| {
                    let holds = b.compare("ok", CompareOp::Ne, index, unlikely);
                    vec![check.guard(b, holds, params[0].var.into())]
                })[0]
            }
        };
        self.add(var);
    }

    /// Builds an associative and commutative operator that fails only on its neutral element, which no other operands yield.
    pub(super) fn checked_operator(&mut self) -> Operator {
        let ty = self.integer_type();
        let (zero, all) = (Scalar::zero(ty), Scalar::int(ty, -1));
        use BinaryOp::*;
        let (op, neutral) = self.random.pick(&[(And, all), (Or, zero), (UMax, zero), (UMin, all)]);
        let check = self.check();
        let ty = Type::Scalar(ty);
        let lambda = self.b.lambda(&[("x", ty.clone()), ("y", ty.clone())], |b, vars| {
            let holds = b.compare("ok", CompareOp::Ne, vars[1], neutral);
            let y = check.guard(b, holds, vars[1].into());
            vec![b.binary("r", op, vars[0], y)]
        });
        Operator { op: lambda, types: vec![ty], neutral: vec![neutral.into()], commutative: true }
    }
}
