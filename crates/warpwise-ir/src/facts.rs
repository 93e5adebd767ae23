//! What the text of a function says of the numbers in it: how they are computed, between which bounds indices lie, and
//! what holds where an assertion has held.
//!
//! ```text
//! next: i64 = add i 1;                            next is i + 1
//! segmap (i < n: task) {...}                      0 <= i, i + 1 <= n wherever `i` has a value
//! c: cert = assert (ult k n) (...);               0 <= k, k + 1 <= n wherever a statement names `c`
//! b: mem = alloc bytes;                           b has as many bytes as the product that `bytes` is where it does not overflow
//! ```
//!
//! Index arithmetic is taken not to leave the range of `i64`, as everywhere at level `mem`.

use warpwise_prim::{BinaryOp, CompareOp};

use crate::bounds::Bounds;
use crate::entity::SecondaryMap;
use crate::expr::{Body, Expr, LoopForm, Stm};
use crate::exprs;
use crate::memory::Lmad;
use crate::program::{Function, Var};
use crate::regions::Region;
use crate::segop::SegOp;
use crate::sums::Sum;
use crate::traverse::Visitor;
use crate::types::{Operand, Type};

/// What is known of the numbers of one function.
pub struct Facts {
    /// Sums, differences and products, and other names.
    definitions: SecondaryMap<Var, Option<Expr>>,
    /// Comparisons and what they are combined to; of a certificate its condition.
    conditions: SecondaryMap<Var, Option<Expr>>,
    /// Extents of indices.
    ranges: SecondaryMap<Var, Option<Operand>>,
    /// Sizes of parameters.
    sizes: Vec<Var>,
    /// Products as they are where they do not overflow.
    products: SecondaryMap<Var, Option<Expr>>,
    /// The bytes of a block.
    bytes: SecondaryMap<Var, Option<Sum>>,
}

impl Facts {
    /// Looks at a function whose body may have been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Facts {
        let mut facts = Facts {
            definitions: SecondaryMap::default(),
            conditions: SecondaryMap::default(),
            ranges: SecondaryMap::default(),
            sizes: Vec::new(),
            products: SecondaryMap::default(),
            bytes: SecondaryMap::default(),
        };
        for param in &function.params {
            let shape = function.ty(param.var).shape();
            facts.sizes.extend(shape.iter().filter_map(|size| size.as_var()));
            if let Some(placement) = &function.vars[param.var].placement {
                facts.bytes[placement.block] = bytes_of(function.ty(param.var));
            }
        }
        facts.body(body);
        facts
    }

    /// Learns what new statements compute.
    pub fn define(&mut self, stms: &[Stm]) {
        stms.iter().for_each(|stm| self.stm(stm));
    }

    /// An operand as a sum; none where a number is too large.
    pub fn sum(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definition(var))
    }

    /// The sum, difference or product that a variable is, or the other operand that it stands for.
    pub fn definition(&self, var: Var) -> Option<&Expr> {
        self.definitions[var].as_ref()
    }

    /// Where an index function leads.
    pub fn region(&self, index_fn: &Lmad) -> Option<Region> {
        Region::of(index_fn, &|operand| self.sum(operand))
    }

    /// A size in bytes as a sum: products saturate, but a block of so many bytes is never granted.
    pub fn size(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definition(var).or(self.products[var].as_ref()))
    }

    /// How many bytes a block has: a parameter those of its array. None where that is not known.
    pub fn bytes(&self, block: Var) -> Option<&Sum> {
        self.bytes[block].as_ref()
    }

    /// The extent of an index of a loop or a space.
    pub fn range(&self, index: Var) -> Option<Operand> {
        self.ranges[index]
    }

    fn range_is(&mut self, index: Var, extent: Operand) {
        self.ranges[index] = Some(extent);
        if extent == Operand::i64(1) {
            self.definitions[index] = Some(Expr::Operand(Operand::i64(0)));
        }
    }
}

impl Visitor<'_> for Facts {
    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Operand(_) | Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => {
                self.definitions[stm.pattern[0]] = Some(stm.expr.clone());
            }
            Expr::Compare(..) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                self.conditions[stm.pattern[0]] = Some(stm.expr.clone());
            }
            Expr::Select(_, product, greatest) if *greatest == Operand::i64(i64::MAX) => {
                self.products[stm.pattern[0]] = Some(Expr::Operand(*product));
            }
            Expr::Alloc { bytes } => self.bytes[stm.pattern[0]] = self.size(*bytes),
            Expr::Assert { cond, .. } => self.conditions[stm.pattern[0]] = Some(Expr::Operand(*cond)),
            Expr::Loop { form: LoopForm::For { index, bound }, .. } => self.range_is(*index, *bound),
            Expr::Seg(op) => {
                let SegOp { space, .. } = &**op;
                space.iter().for_each(|dim| self.range_is(dim.index, dim.extent));
            }
            exprs!(
                Unary, Binary, Ternary, Convert, Select, array, If, Loop, Call, soac, UpdateAcc, Tuned
            ) => {}
        }
        self.walk_stm(stm);
    }
}

/// The bytes of a row-major array.
fn bytes_of(ty: &Type) -> Option<Sum> {
    let mut bytes = Sum::constant(ty.elem()?.bytes() as i64);
    for &size in ty.shape() {
        bytes = bytes.times(&Sum::of(size, &|_| None)?)?;
    }
    Some(bytes)
}

/// What holds where two regions are accessed, one of them perhaps in another iteration, whose variables have other names.
pub(crate) struct Context<'a> {
    facts: &'a Facts,
    bounds: Bounds,
    /// Sums that are known to be sizes.
    sizes: Vec<Sum>,
    /// Extents that are not 0.
    extents: Vec<Sum>,
    bounded: Vec<Var>,
}

impl<'a> Context<'a> {
    /// Where regions of these extents have elements, and sums of these values are sizes.
    pub fn new(facts: &'a Facts, sizes: Vec<Sum>, extents: Vec<Sum>) -> Context<'a> {
        let mut bounds = Bounds::default();
        sizes.iter().for_each(|size| bounds.know(size.clone()));
        Context { facts, bounds, sizes, extents, bounded: Vec::new() }
    }

    /// All that is known.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// From now on a sum is 0 or more.
    pub fn know(&mut self, sum: Sum) {
        self.bounds.know(sum);
    }

    /// Learns between which bounds the variables of a sum lie. `name` gives variables their names here, `original` takes
    /// them back.
    pub fn learn_ranges(&mut self, sum: &Sum, original: &impl Fn(Var) -> Var, name: &impl Fn(Var) -> Var) {
        let mut pending: Vec<Var> = sum.variables().collect();
        while let Some(var) = pending.pop() {
            if self.bounded.contains(&var) {
                continue;
            }
            self.bounded.push(var);
            let own = original(var);
            let range = self.facts.range(own);
            if range.is_some() || self.facts.sizes.contains(&own) {
                self.bounds.at_least(var, &Sum::default());
            }
            let extent = range.and_then(|extent| self.facts.sum(extent));
            let extent =
                extent.and_then(|extent| if own == var { Some(extent) } else { extent.renamed(name) });
            if let Some(extent) = extent {
                pending.extend(extent.variables());
                let below = extent.minus(&Sum::var(var)).and_then(|more| more.minus(&Sum::constant(1)));
                below.into_iter().for_each(|sum| self.bounds.know(sum));
            }
        }
    }

    /// Learns what holds where a condition does. False where that is more than what is learnt, or nothing can be said.
    pub fn learn_condition(&mut self, condition: Operand, name: &impl Fn(Var) -> Var) -> bool {
        let facts = self.facts;
        let Some(condition) = condition.as_var().and_then(|var| facts.conditions[var].as_ref()) else {
            return condition == Operand::bool(true);
        };
        match condition {
            Expr::Operand(same) => self.learn_condition(*same, name),
            Expr::Binary(BinaryOp::And, x, y) => {
                let (x, y) = (self.learn_condition(*x, name), self.learn_condition(*y, name));
                x && y
            }
            Expr::Binary(BinaryOp::Or, empty, other) if self.is_ruled_out(*empty, name) => {
                self.learn_condition(*other, name)
            }
            Expr::Compare(op, x, y) => {
                let sums = self.sum(*x, name).zip(self.sum(*y, name));
                sums.and_then(|(x, y)| self.learn_comparison(*op, &x, &y)).is_some()
            }
            exprs!(
                Unary, Binary, Ternary, Convert, Select, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc
            ) => false,
        }
    }

    fn sum(&self, operand: Operand, name: &impl Fn(Var) -> Var) -> Option<Sum> {
        self.facts.sum(operand)?.renamed(name)
    }

    /// Whether a condition is that a slice has no elements, of a region that has some.
    fn is_ruled_out(&self, condition: Operand, name: &impl Fn(Var) -> Var) -> bool {
        let condition = condition.as_var().and_then(|var| self.facts.conditions[var].as_ref());
        let Some(Expr::Compare(CompareOp::Eq, x, y)) = condition else { return false };
        let Some((x, y)) = self.sum(*x, name).zip(self.sum(*y, name)) else { return false };
        let differences = [x.minus(&y), y.minus(&x)];
        differences.iter().flatten().any(|difference| self.extents.contains(difference))
    }

    /// None where nothing is learnt.
    fn learn_comparison(&mut self, op: CompareOp, x: &Sum, y: &Sum) -> Option<()> {
        let above = y.minus(x)?;
        match op {
            CompareOp::SLe => self.bounds.know(above),
            CompareOp::SLt => self.bounds.know(above.minus(&Sum::constant(1))?),
            CompareOp::Eq => {
                self.bounds.know(x.minus(y)?);
                self.bounds.know(above);
            }
            CompareOp::ULt if self.is_size(y) => {
                self.bounds.know(x.clone());
                self.bounds.know(above.minus(&Sum::constant(1))?);
            }
            CompareOp::Ne | CompareOp::ULt | CompareOp::ULe | CompareOp::FLt | CompareOp::FLe => return None,
        }
        Some(())
    }

    fn is_size(&self, sum: &Sum) -> bool {
        self.sizes.contains(sum)
            || sum.as_constant().is_some_and(|value| value >= 0)
            || sum.as_var().is_some_and(|var| self.facts.sizes.contains(&var))
    }
}
