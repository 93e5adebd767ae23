//! Facts about the numbers of a function, as its text proves them: how they are computed, the bounds of indices, and the
//! conditions that hold after an assertion.
//!
//! ```text
//! next: i64 = add i 1;                            next is i + 1
//! half: i64 = sdiv n 2;                           2*half <= n <= 2*half + 1
//! at: i64 = if c { return 0 } else { return n };  at is 0 or n
//! segmap (i < n: task) {...}                      0 <= i, i + 1 <= n wherever `i` has a value
//! c: cert = assert (ult k n) (...);               0 <= k, k + 1 <= n wherever a statement names `c`
//! b: mem = alloc bytes;                           b has as many bytes as the product that `bytes` is where it does not overflow
//! ```
//!
//! Index arithmetic is assumed to stay in the range of `i64`, as everywhere at level `mem`.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

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

/// Facts about the numbers of one function.
#[derive(Clone)]
pub struct Facts {
    /// Definitions of sums, differences and products, and copies of other operands.
    definitions: SecondaryMap<Var, Option<Expr>>,
    /// Comparisons and their combinations; for a certificate, its condition.
    conditions: SecondaryMap<Var, Option<Expr>>,
    /// Extents over which indices range.
    ranges: SecondaryMap<Var, Option<Operand>>,
    /// Variables that are sizes of parameters.
    sizes: Vec<Var>,
    /// Divisions by positive numbers.
    divisions: SecondaryMap<Var, Option<Division>>,
    /// The two values of each choice.
    choices: SecondaryMap<Var, Option<(Operand, Operand)>>,
    /// The exact products behind saturating products, valid where they do not overflow.
    products: SecondaryMap<Var, Option<Expr>>,
    /// Sizes of blocks, in bytes.
    bytes: SecondaryMap<Var, Option<Sum>>,
    /// Integers of less than 64 bits, whose sums wrap in common programs.
    narrow: SecondaryMap<Var, bool>,
}

/// A quotient, rounded down, or a remainder.
#[derive(Clone, Copy)]
struct Division {
    dividend: Operand,
    divisor: i64,
    is_rest: bool,
}

/// Maximum number of choices for which the cases of one region are distinguished.
const MOST_CHOICES: usize = 2;

impl Facts {
    /// Collects the facts of a function whose body may have been taken out of it.
    pub fn of(function: &Function, body: &Body) -> Facts {
        let mut facts = Facts {
            definitions: SecondaryMap::default(),
            conditions: SecondaryMap::default(),
            ranges: SecondaryMap::default(),
            sizes: Vec::new(),
            divisions: SecondaryMap::default(),
            choices: SecondaryMap::default(),
            products: SecondaryMap::default(),
            bytes: SecondaryMap::default(),
            narrow: SecondaryMap::default(),
        };
        for (var, data) in function.vars.iter() {
            facts.narrow[var] = data.ty.as_scalar().is_some_and(|ty| ty.is_int() && ty.bits() < 64);
        }
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

    /// Adds the facts of new statements.
    pub fn define(&mut self, stms: &[Stm]) {
        stms.iter().for_each(|stm| self.stm(stm));
    }

    /// Returns an operand as a sum, or none if a number is too large.
    pub fn sum(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definition(var))
    }

    /// Returns the definition of a variable: a sum, difference or product, or the operand that it copies.
    pub fn definition(&self, var: Var) -> Option<&Expr> {
        self.definitions[var].as_ref()
    }

    /// Returns the region that an index function addresses.
    pub fn region(&self, index_fn: &Lmad) -> Option<Region> {
        Region::of(index_fn, &|operand| self.sum(operand))
    }

    /// Returns a size in bytes as a sum. Saturating products count as exact ones: a block of the saturated size is never granted.
    pub fn size(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definition(var).or(self.products[var].as_ref()))
    }

    /// Returns the size of a block in bytes; for a parameter, the size of its array. None if the size is unknown.
    pub fn bytes(&self, block: Var) -> Option<&Sum> {
        self.bytes[block].as_ref()
    }

    /// Returns the extent of an index of a loop or a space.
    pub fn range(&self, index: Var) -> Option<Operand> {
        self.ranges[index]
    }

    /// Returns the regions that a region can be, one for each combination of the choices that its numbers come from.
    pub(crate) fn cases(&self, region: &Region) -> Vec<Region> {
        let mut cases = vec![region.clone()];
        for _ in 0..MOST_CHOICES {
            let chosen = cases.iter().flat_map(Region::sums).flat_map(Sum::variables);
            let chosen: Vec<Var> = chosen.filter(|&var| self.choices[var].is_some()).collect();
            let Some((&var, (x, y))) = chosen.first().and_then(|var| Some((var, self.choices[*var]?))) else {
                break;
            };
            let both = |region: &Region| {
                let with = |operand: Operand| region.with(var, &self.sum(operand)?);
                Some([with(x)?, with(y)?])
            };
            let Some(apart) = cases.iter().map(both).collect::<Option<Vec<_>>>() else { break };
            cases = apart.into_iter().flatten().collect();
        }
        cases
    }

    /// Returns whether an operand may differ from the sum that defines it.
    fn may_wrap(&self, operand: Operand) -> bool {
        operand.as_var().is_some_and(|var| self.narrow[var]) && !self.is_exact(operand)
    }

    /// Returns whether a number has the same value in any wider type: it is not computed, or is the sum of an index and a
    /// constant.
    fn is_exact(&self, operand: Operand) -> bool {
        let Some(definition) = operand.as_var().and_then(|var| self.definition(var)) else { return true };
        match definition {
            Expr::Operand(same) => self.is_exact(*same),
            Expr::Binary(BinaryOp::Add, index, more) => {
                let range = index.as_var().and_then(|index| self.range(index));
                let most = range.zip(Some(*more)).map(|both| (both.0.as_const(), both.1.as_const()));
                let Some((Some(extent), Some(more))) = most else { return false };
                let Some((extent, number)) = extent.as_int().zip(more.as_int()) else { return false };
                let least = 1_i64 << (more.ty().bits() - 1).min(62);
                number >= -least && extent.saturating_add(number) <= least
            }
            exprs!(Unary, Binary, Ternary, Compare, Convert, Select, Assert, array, nested)
            | exprs!(Call, UpdateAcc, Tuned, Alloc) => false,
        }
    }

    fn choice(&mut self, var: Var, x: Operand, y: Operand) {
        let is_number =
            |operand: Operand| operand.as_const().is_none_or(|value| value.ty() == ScalarType::I64);
        if is_number(x) && is_number(y) {
            self.choices[var] = Some((x, y));
        }
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
            Expr::Compare(_, x, y) if self.may_wrap(*x) || self.may_wrap(*y) => {}
            Expr::Compare(..) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                self.conditions[stm.pattern[0]] = Some(stm.expr.clone());
            }
            Expr::Convert(ConvertOp::SExt, narrow, _) if self.is_exact(*narrow) => {
                self.definitions[stm.pattern[0]] = Some(Expr::Operand(*narrow));
            }
            Expr::Binary(op @ (BinaryOp::SDiv | BinaryOp::SMod), dividend, divisor) => {
                let divisor = divisor.as_const().filter(|divisor| divisor.ty() == ScalarType::I64);
                if let Some(divisor @ 1..) = divisor.and_then(Scalar::as_int) {
                    let is_rest = *op == BinaryOp::SMod;
                    self.divisions[stm.pattern[0]] = Some(Division { dividend: *dividend, divisor, is_rest });
                }
            }
            Expr::If { then_body, else_body, .. } => {
                for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    self.choice(var, x, y);
                }
            }
            Expr::Select(_, product, greatest) if *greatest == Operand::i64(i64::MAX) => {
                self.products[stm.pattern[0]] = Some(Expr::Operand(*product));
            }
            Expr::Select(_, x, y) => self.choice(stm.pattern[0], *x, *y),
            Expr::Alloc { bytes } => self.bytes[stm.pattern[0]] = self.size(*bytes),
            Expr::Assert { cond, .. } => self.conditions[stm.pattern[0]] = Some(Expr::Operand(*cond)),
            Expr::Loop { form: LoopForm::For { index, bound }, .. } => self.range_is(*index, *bound),
            Expr::Seg(op) => {
                let SegOp { space, .. } = &**op;
                space.iter().for_each(|dim| self.range_is(dim.index, dim.extent));
            }
            exprs!(Unary, Binary, Ternary, Convert, array, Loop, Call, soac, UpdateAcc, Tuned) => {}
        }
        self.walk_stm(stm);
    }
}

/// Returns the size of a row-major array, in bytes.
fn bytes_of(ty: &Type) -> Option<Sum> {
    let mut bytes = Sum::constant(ty.elem()?.bytes() as i64);
    for &size in ty.shape() {
        bytes = bytes.times(&Sum::of(size, &|_| None)?)?;
    }
    Some(bytes)
}

/// Facts that hold where two regions are accessed. One of the accesses may be in another iteration, whose variables then have
/// other names.
pub(crate) struct Context<'a> {
    facts: &'a Facts,
    bounds: Bounds,
    /// Sums that are known to be sizes.
    sizes: Vec<Sum>,
    /// Extents known to be nonzero.
    extents: Vec<Sum>,
    bounded: Vec<Var>,
}

impl<'a> Context<'a> {
    /// Creates a context in which regions of these extents have elements, and sums of these values are sizes.
    pub fn new(facts: &'a Facts, sizes: Vec<Sum>, extents: Vec<Sum>) -> Context<'a> {
        let mut bounds = Bounds::default();
        sizes.iter().for_each(|size| bounds.know(size.clone()));
        Context { facts, bounds, sizes, extents, bounded: Vec::new() }
    }

    /// Returns all known bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Adds the fact that a sum is 0 or more.
    pub fn know(&mut self, sum: Sum) {
        self.bounds.know(sum);
    }

    /// Learns the bounds of the variables of a sum. `name` maps variables to their names in this context, `original` maps the
    /// names back.
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
            if let Some(division) = self.facts.divisions[own] {
                pending.extend(self.learn_division(var, division, own != var, name).into_iter().flatten());
            }
        }
    }

    /// Learns the bounds of a quotient or remainder; returns the variables of the dividend.
    fn learn_division(
        &mut self,
        var: Var,
        Division { dividend, divisor, is_rest }: Division,
        is_elsewhere: bool,
        name: &impl Fn(Var) -> Var,
    ) -> Option<Vec<Var>> {
        let (itself, most) = (Sum::var(var), Sum::constant(divisor.checked_sub(1)?));
        if is_rest {
            self.bounds.know(most.minus(&itself)?);
            self.bounds.know(itself);
            return None;
        }
        let number = self.facts.sum(dividend)?;
        let number = if is_elsewhere { number.renamed(name)? } else { number };
        let rest = number.minus(&itself.times(&Sum::constant(divisor))?)?;
        self.bounds.know(most.minus(&rest)?);
        self.bounds.know(rest);
        let is_size = |var: Var| self.facts.range(var).is_some() || self.facts.sizes.contains(&var);
        if dividend.as_var().is_some_and(is_size) {
            self.bounds.know(itself);
        }
        Some(number.variables().collect())
    }

    /// Learns the facts that a condition implies. False if the condition says more than what is learnt, or is unknown.
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

    /// Returns whether a condition says that a slice has no elements, although its region has some.
    fn is_ruled_out(&self, condition: Operand, name: &impl Fn(Var) -> Var) -> bool {
        let condition = condition.as_var().and_then(|var| self.facts.conditions[var].as_ref());
        let Some(Expr::Compare(CompareOp::Eq, x, y)) = condition else { return false };
        let Some((x, y)) = self.sum(*x, name).zip(self.sum(*y, name)) else { return false };
        let differences = [x.minus(&y), y.minus(&x)];
        differences.iter().flatten().any(|difference| self.extents.contains(difference))
    }

    /// Learns the facts that a comparison implies. None if nothing is learnt.
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
