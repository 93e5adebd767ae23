//! Checks that may fail, on values that are used or not: by themselves, in branches that agree, in loops that give back their own
//! variable, in operators that fail on their neutral elements.
//!
//! Every check guards one value, and its message begins with its number. So a test can ask for the same program without some
//! of its checks, or with the value of one changed: where that makes no difference, nothing needed the value.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use super::Generator;
use super::scalars::constant;
use super::soacs::Operator;
use crate::builder::Builder;
use crate::expr::{LoopParam, Message, MessagePart};
use crate::types::{Operand, Type};

/// Which checks there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// Whether there are none at all.
    pub none: bool,
    /// The numbers of others that are left out.
    pub without: Vec<usize>,
    /// The number of the check whose value is another one.
    pub changed: Option<usize>,
}

impl Checks {
    /// The number that the message of a check begins with.
    pub fn number(message: &str) -> Option<usize> {
        message.strip_prefix("check ")?.split(':').next()?.parse().ok()
    }
}

/// A check to be made.
#[derive(Clone, Copy)]
struct Check {
    number: usize,
    /// Whether it is made at all.
    made: bool,
    /// Whether its value is another one.
    changed: bool,
}

impl Check {
    /// `x` under the check.
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

    /// A condition that holds more often than not.
    fn likely(&mut self) -> Operand {
        let ty = self.integer_type();
        let (x, unlikely) = (self.scalar(ty), constant(self.random, ty));
        self.b.compare("ok", CompareOp::Ne, x, unlikely)
    }

    /// A value under a check, in one of several forms.
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

    /// An associative and commutative operator that fails on its neutral element, and on nothing that others come to.
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
