//! Finds the digits of a flat index in a body: quotients and remainders by products of loop-invariant factors.
//!
//! A *part* of the index `k` is `(k / low) % (high / low)`, where `low` divides `high`; without `high` it is `k / low`. Quotients and
//! remainders of parts are parts: with `k < d * h * w`,
//!
//! ```text
//! k % w           low 1      high w             k / (h * w)            low h * w
//! (k / w) % h     low w      high h * w         (k % (h * w)) / w      low w      high h * w
//! ```
//!
//! The ends of all parts are the candidates for *cuts*. Cuts make a mixed radix if each divides the next:
//! with the cuts `w` and `h * w`, `k` has the digits `k % w`, `(k / w) % h` and `k / (h * w)`.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::{Body, Expr, Function, Operand, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType};

use super::products::{Definitions, Product};

/// Maximum number of cuts.
const MOST_CUTS: usize = 3;

/// A part of the flat index.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub low: Product,
    pub high: Option<Product>,
}

/// A place where the flat index is cut in two.
struct Cut {
    at: Product,
    /// Whether the quotient by the product is computed.
    quotient: bool,
    /// Whether the remainder by the product is computed.
    remainder: bool,
}

/// The decomposition of a flat index.
pub struct Digits {
    /// The cuts, in order; each divides the next.
    pub cuts: Vec<Product>,
    /// The variables that are parts of the index and computed by a division or a difference, in order.
    pub parts: Vec<(Var, Part)>,
    /// Whether the parts are right only if all indices and cuts fit 32 bits.
    pub is_narrow: bool,
}

/// Returns the decomposition of the index `k` of this body that pays off, if there is one. `points` is the number of points as a
/// product.
pub fn digits(
    function: &Function,
    outside: &Definitions,
    (k, body): (Var, &Body),
    points: Option<&Product>,
) -> Option<Digits> {
    let mut cuts = Finder::run(function, outside, (k, body), None).cuts;
    cuts.retain(|cut| {
        let is_whole = points.is_some_and(|points| cut.at.divides(points));
        is_whole || cut.quotient && cut.remainder
    });
    let cuts = chain(cuts);
    if cuts.is_empty() {
        return None;
    }
    // Parts of parts that are no digits could have divisors of any sign.
    let Finder { computed, is_narrow, .. } = Finder::run(function, outside, (k, body), Some(&cuts));
    Some(Digits { cuts, parts: computed, is_narrow })
}

/// Returns cuts in order, such that each divides the next. Earlier cuts of the body take precedence.
fn chain(cuts: Vec<Cut>) -> Vec<Product> {
    let mut chain: Vec<Product> = Vec::new();
    for Cut { at, .. } in cuts {
        let fits = |other: &Product| at.divides(other) || other.divides(&at);
        if chain.len() < MOST_CUTS && chain.iter().all(fits) {
            let place = chain.iter().position(|other| at.divides(other)).unwrap_or(chain.len());
            chain.insert(place, at);
        }
    }
    chain
}

struct Finder<'f> {
    function: &'f Function,
    outside: &'f Definitions,
    /// The ends that parts may have, if restricted.
    allowed: Option<&'f [Product]>,
    /// The variables that the operation binds.
    inside: FxHashSet<Var>,
    parts: FxHashMap<Var, Part>,
    /// Parts times products.
    scaled: FxHashMap<Var, (Part, Product)>,
    cuts: Vec<Cut>,
    computed: Vec<(Var, Part)>,
    is_narrow: bool,
}

impl<'f> Finder<'f> {
    fn run(
        function: &'f Function,
        outside: &'f Definitions,
        (k, body): (Var, &Body),
        allowed: Option<&'f [Product]>,
    ) -> Finder<'f> {
        let mut finder = Finder {
            function,
            outside,
            allowed,
            inside: FxHashSet::from_iter([k]),
            parts: FxHashMap::from_iter([(k, Part { low: Product::one(), high: None })]),
            scaled: FxHashMap::default(),
            cuts: Vec::new(),
            computed: Vec::new(),
            is_narrow: false,
        };
        finder.bind(body);
        finder.body(body);
        finder
    }

    /// Records the variables that a body binds.
    fn bind(&mut self, body: &Body) {
        for stm in &body.stms {
            self.inside.extend(&stm.pattern);
            stm.expr.for_each_binding(|var| {
                self.inside.insert(var);
            });
            stm.expr.for_each_body(|body| self.bind(body));
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
            stm.expr.for_each_body(|body| self.body(body));
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let [var] = stm.pattern[..] else { return };
        match stm.expr {
            Expr::Operand(x) => self.alias(var, x),
            Expr::Convert(
                ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Truncate,
                x,
                ScalarType::I32 | ScalarType::I64,
            ) => self.alias(var, x),
            Expr::Binary(BinaryOp::SDiv | BinaryOp::SQuot | BinaryOp::UDiv, x, by) => {
                self.quotient(var, x, by)
            }
            Expr::Binary(BinaryOp::SMod | BinaryOp::SRem | BinaryOp::UMod, x, by) => {
                self.remainder(var, x, by);
            }
            Expr::Binary(BinaryOp::Mul, x, y) => self.multiple(var, x, y),
            Expr::Binary(BinaryOp::Sub, x, y) => self.difference(var, x, y),
            exprs!(simple, nested) => {}
        }
    }

    fn part(&self, x: Operand) -> Option<Part> {
        self.parts.get(&x.as_var()?).cloned()
    }

    fn alias(&mut self, var: Var, x: Operand) {
        let Some(part) = self.part(x) else { return };
        let is_narrow = |ty: Type| ty.as_scalar() == Some(ScalarType::I32);
        self.is_narrow |=
            is_narrow(self.function.operand_type(x)) && !is_narrow(self.function.ty(var).clone());
        self.parts.insert(var, part);
    }

    /// Returns a factor from outside as a product.
    fn factor(&mut self, x: Operand) -> Option<(Product, bool)> {
        let is_outside = x.as_var().is_none_or(|var| !self.inside.contains(&var));
        let (product, is_narrow) = is_outside.then(|| self.outside.product(self.function, x)).flatten()?;
        let is_narrow = is_narrow || self.function.operand_type(x).as_scalar() == Some(ScalarType::I32);
        Some((product, is_narrow))
    }

    fn quotient(&mut self, var: Var, x: Operand, by: Operand) {
        let (Some(Part { low, high }), Some((by, is_narrow))) = (self.part(x), self.factor(by)) else {
            return;
        };
        let Some(low) = low.times(&by) else { return };
        if high.as_ref().is_none_or(|high| low.divides(high) && low != *high) {
            self.add(var, Part { low, high }, is_narrow);
        }
    }

    fn remainder(&mut self, var: Var, x: Operand, by: Operand) {
        let (Some(Part { low, high }), Some((by, is_narrow))) = (self.part(x), self.factor(by)) else {
            return;
        };
        let Some(end) = low.times(&by) else { return };
        if high.is_none_or(|high| end.divides(&high)) {
            self.add(var, Part { low, high: Some(end) }, is_narrow);
        }
    }

    fn multiple(&mut self, var: Var, x: Operand, y: Operand) {
        for (x, by) in [(x, y), (y, x)] {
            if let (Some(part), Some((by, _))) = (self.part(x), self.factor(by)) {
                self.scaled.insert(var, (part, by));
            }
        }
    }

    /// Recognises the remainder `x - (x / by) * by`.
    fn difference(&mut self, var: Var, x: Operand, y: Operand) {
        let scaled = y.as_var().and_then(|y| self.scaled.get(&y));
        let (Some(Part { low, high }), Some((part, by))) = (self.part(x), scaled.cloned()) else { return };
        if high == part.high && low.times(&by).as_ref() == Some(&part.low) {
            let is_narrow = self.function.ty(var).as_scalar() == Some(ScalarType::I32);
            self.add(var, Part { low, high: Some(part.low) }, is_narrow);
        }
    }

    fn add(&mut self, var: Var, part: Part, is_narrow: bool) {
        let is_allowed = |end: &Product| {
            *end == Product::one() || self.allowed.is_none_or(|allowed| allowed.contains(end))
        };
        if !is_allowed(&part.low) || !part.high.as_ref().is_none_or(is_allowed) {
            return;
        }
        self.is_narrow |= is_narrow;
        if part.low != Product::one() {
            self.cut(&part.low).quotient = true;
        }
        if let Some(high) = &part.high {
            self.cut(high).remainder = true;
        }
        self.parts.insert(var, part.clone());
        self.computed.push((var, part));
    }

    fn cut(&mut self, at: &Product) -> &mut Cut {
        let place = self.cuts.iter().position(|cut| cut.at == *at).unwrap_or_else(|| {
            self.cuts.push(Cut { at: at.clone(), quotient: false, remainder: false });
            self.cuts.len() - 1
        });
        &mut self.cuts[place]
    }
}

impl Digits {
    /// Whether a number is the ratio of two cuts, so that it is positive wherever the digits are right.
    pub fn is_ratio(&self, number: &Product) -> bool {
        let one = Product::one();
        let ends = || std::iter::once(&one).chain(&self.cuts);
        ends().any(|low| low.times(number).is_some_and(|high| ends().any(|end| *end == high)))
    }
}
