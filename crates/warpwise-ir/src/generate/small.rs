//! Maps whose points compute small arrays of known sizes: by SOACs, by loops that carry or overwrite them, by choices, by views.

use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::{Generator, Random};
use crate::builder::Builder;
use crate::expr::{Expr, LoopParam, SliceDim};
use crate::program::Var;
use crate::soac::{Reduce, Scan};
use crate::types::{Operand, Type};

/// A step from one small array to the next, with a number that it uses.
#[derive(Clone, Copy)]
enum Step {
    Map(i64),
    Scan(bool),
    /// Every iteration overwrites an element with a function of another, `by` elements further on.
    Overwrite {
        by: i64,
    },
    /// The point says how many iterations there are, and which elements they overwrite.
    OverwriteUnknown(i64),
    Choose(i64),
    Turn,
    Copy,
    /// Combines the columns of a matrix of two rows: the array, and the array turned around.
    Columns,
    /// Sets an element to the sum of all.
    Sum(i64),
}

impl Step {
    fn random(random: &mut Random) -> Step {
        let number = random.below(5) as i64;
        match random.below(9) {
            0 => Step::Map(number),
            1 => Step::Scan(number < 2),
            2 => Step::Overwrite { by: number },
            3 => Step::OverwriteUnknown(number),
            4 => Step::Choose(number),
            5 => Step::Turn,
            6 => Step::Copy,
            7 => Step::Columns,
            _ => Step::Sum(number),
        }
    }
}

impl Generator<'_> {
    /// Adds a map over indices, whose points compute a small array and yield it, its sum, or one of its elements.
    pub(super) fn small_arrays(&mut self) {
        let width = self.size();
        let count = self.random.pick(&[1, 2, 3, 4, 8, 9, 17]);
        let steps: Vec<Step> = (0..1 + self.random.below(4)).map(|_| Step::random(self.random)).collect();
        let outer: Vec<Operand> = (0..count).map(|_| self.scalar(ScalarType::I64)).collect();
        let equal = self.random.chance(1, 4);
        let yields = self.random.below(3);
        let iota = Expr::Iota { len: width, start: Operand::i64(0), step: Operand::i64(1) };
        let points = self.b.bind_one("is", iota);
        let map = self.b.lambda(&[("i", Type::I64)], |b, params| {
            let point = params[0].into();
            let mut array = match equal {
                true => b.bind_one(
                    "v",
                    Expr::Replicate { shape: [Operand::i64(count)].into_iter().collect(), value: point },
                ),
                false => {
                    let elements = outer.iter().map(|&x| b.binary("e", BinaryOp::Xor, x, point)).collect();
                    b.bind_one("v", Expr::ArrayLit(elements))
                }
            };
            for &step in &steps {
                array = Small { array, count, point }.next(b, step);
            }
            let small = Small { array, count, point };
            vec![match yields {
                0 => array.into(),
                1 => small.sum(b),
                _ => b.index("y", array, &[Operand::i64(count / 2)]).into(),
            }]
        });
        let results = self.b.map("ys", width, &[points], map);
        let ty = self.b.function.ty(results[0]).clone();
        self.scope.add_fresh(results[0], ty);
    }
}

/// A small array of a point.
#[derive(Clone, Copy)]
struct Small {
    array: Var,
    count: i64,
    point: Operand,
}

impl Small {
    fn next(self, b: &mut Builder, step: Step) -> Var {
        match step {
            Step::Map(number) => {
                let map = b.lambda(&[("x", Type::I64)], |b, x| {
                    let y = b.binary("y", BinaryOp::Mul, x[0], number);
                    vec![b.binary("y", BinaryOp::Add, y, self.point)]
                });
                b.map("v", self.count, &[self.array], map)[0]
            }
            Step::Scan(exclusive) => {
                let map = b.identity(&[Type::I64]);
                let op = b.operator(BinaryOp::Add, ScalarType::I64);
                let scan = Scan { op, neutral: vec![Operand::i64(0)], exclusive };
                b.map_scan("v", self.count, &[self.array], map, scan)[0]
            }
            Step::Overwrite { by } => self.overwritten(b, self.count.into(), |b, i| {
                let from = b.binary("from", BinaryOp::Add, i, by);
                (i, from)
            }),
            Step::OverwriteUnknown(number) => {
                let bound = b.binary("k", BinaryOp::And, self.point, 3i64);
                self.overwritten(b, bound, |b, i| {
                    let to = b.binary("to", BinaryOp::Add, i, self.point);
                    (to, Operand::i64(number))
                })
            }
            Step::Choose(number) => {
                let few = b.compare("few", CompareOp::SLt, self.point, number);
                let chosen = b.branch(
                    "v",
                    few,
                    |b| {
                        let elements =
                            (0..self.count).map(|i| b.binary("e", BinaryOp::Sub, self.point, i)).collect();
                        vec![b.bind_one("v", Expr::ArrayLit(elements)).into()]
                    },
                    |_| vec![self.array.into()],
                );
                chosen[0]
            }
            Step::Turn => {
                let (start, stride) = (Operand::i64(self.count - 1), Operand::i64(-1));
                let turned =
                    b.slice("t", self.array, vec![SliceDim::Range { start, len: self.count.into(), stride }]);
                b.bind_one("v", Expr::Copy(turned))
            }
            Step::Copy => b.bind_one("v", Expr::Copy(self.array)),
            Step::Columns => {
                let other = self.next(b, Step::Turn);
                let rows = b.bind_one("m", Expr::ArrayLit(vec![self.array.into(), other.into()]));
                let columns = b.bind_one("m", Expr::Rearrange { array: rows, perm: vec![1, 0] });
                let pair = Type::array(ScalarType::I64, [Operand::i64(2)]);
                let map = b.lambda(&[("c", pair)], |b, c| {
                    let (x, y) = (b.index("x", c[0], &[0.into()]), b.index("y", c[0], &[1.into()]));
                    let z = b.binary("z", BinaryOp::Mul, x, 5i64);
                    vec![b.binary("z", BinaryOp::Sub, z, y)]
                });
                b.map("v", self.count, &[columns], map)[0]
            }
            Step::Sum(number) => {
                let (sum, at) = (self.sum(b), number % self.count);
                b.update("v", self.array, vec![SliceDim::Fix(at.into())], sum)
            }
        }
    }

    fn sum(self, b: &mut Builder) -> Operand {
        let map = b.identity(&[Type::I64]);
        let op = b.operator(BinaryOp::Add, ScalarType::I64);
        let reduce = Reduce { op, neutral: vec![Operand::i64(0)], commutative: false };
        b.map_reduce("s", self.count, &[self.array], map, reduce)[0].into()
    }

    /// Overwrites elements in a loop, each with a function of another; `places` returns both indices, modulo the number of
    /// elements.
    fn overwritten(
        self,
        b: &mut Builder,
        bound: Operand,
        places: impl FnOnce(&mut Builder, Operand) -> (Operand, Operand),
    ) -> Var {
        let var = b.function.fresh("u", b.function.ty(self.array).clone());
        let param = LoopParam { var, init: self.array.into(), consumed: true };
        let results = b.for_loop("v", bound, vec![param], |b, i, _| {
            let (to, from) = places(b, i.into());
            let to = b.binary("to", BinaryOp::UMod, to, self.count);
            let from = b.binary("from", BinaryOp::UMod, from, self.count);
            let (x, old) = (b.index("x", var, &[from]), b.index("old", var, &[to]));
            let x = b.binary("x", BinaryOp::Mul, x, 3i64);
            let new = b.binary("new", BinaryOp::Sub, x, old);
            vec![b.update("u", var, vec![SliceDim::Fix(to)], new).into()]
        });
        results[0]
    }
}
