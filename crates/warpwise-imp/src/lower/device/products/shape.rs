//! Recognition of maps in the form of a matrix product, and the division of their bodies into phases.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand as CoreOperand, SegOp, Stm, Type, Var};
use warpwise_prim::ScalarType;

use super::{ACROSS, DOWN, PAD};

/// Size of local memory for staged loads, in bytes.
const LOCAL: i64 = 16 << 10;

/// Numbers of steps that can be staged at a time; the first that local memory has room for is used.
const SLICES: [i64; 3] = [16, 8, 4];

/// Numbers of rows and columns of a work-item, each with the maximum number of statements of a step for which registers suffice.
const OWN: [(i64, usize); 2] = [(8, 4), (4, 16)];

/// A map whose points fold values that are loaded by row and by column.
pub(super) struct Product<'a> {
    pub stm: &'a Stm,
    pub op: &'a SegOp,
    /// Statements before the loop that the loop needs.
    pub before: Vec<&'a Stm>,
    /// Values that the loop carries, and the variables that it yields.
    pub params: &'a [LoopParam],
    pub folded: &'a [Var],
    /// Index of the loop, and its number of iterations.
    pub index: Var,
    pub bound: CoreOperand,
    pub body: &'a Body,
    /// Statements that run after the loop.
    pub after: Vec<&'a Stm>,
    /// Loads that serve a whole tile.
    pub staged: Vec<Staged<'a>>,
    /// Number of rows, and of columns, of a work-item.
    pub own: i64,
    /// Number of steps that are staged at a time, a power of two.
    pub slice: i64,
}

/// A load that serves a row or a column of points.
pub(super) struct Staged<'a> {
    pub stm: &'a Stm,
    pub side: Side,
    /// Statements that the address depends on.
    pub needs: Vec<&'a Stm>,
    /// Whether neighbouring steps, rather than neighbouring rows or columns, are contiguous in memory.
    pub along_depth: bool,
}

/// The dimension that a load depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Row,
    Column,
}

/// The dimensions along which a variable differs.
#[derive(Clone, Copy, Default)]
struct Differs {
    row: bool,
    column: bool,
    depth: bool,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Row, Side::Column];
}

impl<'a> Product<'a> {
    /// Returns a map as a product, if it is one.
    pub fn of(function: &Function, stm: &'a Stm, op: &'a SegOp) -> Option<Product<'a>> {
        let [.., row, column] = &op.space[..] else { return None };
        let is_loop = |stm: &Stm| matches!(stm.expr, Expr::Loop { .. });
        let at = op.body.stms.iter().position(is_loop)?;
        let (first, rest) = op.body.stms.split_at(at);
        let (inner, after) = rest.split_first()?;
        let Expr::Loop { params, form: LoopForm::For { index, bound }, body } = &inner.expr else {
            return None;
        };
        let is_scalar = |var: Var| matches!(function.ty(var), Type::Scalar(_));
        let is_straight = |stms: &[Stm]| stms.iter().all(|stm| stm.expr.is_straight());
        let scalars = params.iter().all(|param| is_scalar(param.var))
            && op.body.result.iter().all(|&x| function.operand_type(x).rank() == 0);
        let counts_in_words = *function.ty(*index) == Type::Scalar(ScalarType::I64);
        if !scalars || !counts_in_words || ![first, after, &body.stms].into_iter().all(is_straight) {
            return None;
        }
        let needed = needed(function, first, free_in_expr(function, &inner.expr).iter().collect());
        let (before, later): (Vec<&Stm>, Vec<&Stm>) =
            first.iter().partition(|stm| needed.contains(&stm.pattern[0]));
        let mut differs = Differences { function, of: FxHashMap::default() };
        differs.of.insert(row.index, Differs { row: true, ..Differs::default() });
        differs.of.insert(column.index, Differs { column: true, ..Differs::default() });
        differs.of.insert(*index, Differs { depth: true, ..Differs::default() });
        let everything = Differs { row: true, column: true, depth: true };
        differs.of.extend(params.iter().map(|param| (param.var, everything)));
        differs.add(first);
        differs.add(&body.stms);
        if differs.by(*bound).any() {
            return None;
        }
        let staged = staged(&differs, first, &body.stms)?;
        let (own, slice) = tile(function, params, body, &staged)?;
        let after = later.into_iter().chain(after).collect();
        let (index, bound, folded) = (*index, *bound, &inner.pattern[..]);
        Some(Product { stm, op, before, params, folded, index, bound, body, after, staged, own, slice })
    }

    /// Returns the number of rows or columns of a tile, a power of two.
    pub fn width(&self, side: Side) -> i64 {
        width(self.own, side)
    }

    /// Returns the index variable of the rows or columns.
    pub fn index_of(&self, side: Side) -> Var {
        self.op.space[self.op.space.len() - 2 + side as usize].index
    }

    /// Returns the points of a work-item, as numbers of its rows and columns.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let own = self.own as usize;
        (0..own).flat_map(move |row| (0..own).map(move |column| (row, column)))
    }
}

fn width(own: i64, side: Side) -> i64 {
    match side {
        Side::Row => DOWN * own,
        Side::Column => ACROSS * own,
    }
}

/// Returns the loads of a loop that serve a row or a column; `None` where one serves a single point, or where one side has no
/// load.
fn staged<'a>(differs: &Differences, first: &'a [Stm], body: &'a [Stm]) -> Option<Vec<Staged<'a>>> {
    let function = differs.function;
    let mut found = Vec::new();
    for (at, stm) in body.iter().enumerate() {
        let Expr::Index { array, indices } = &stm.expr else { continue };
        let var = stm.pattern[0];
        if !matches!(function.ty(var), Type::Scalar(_)) {
            continue;
        }
        let side = match differs.by(var.into()) {
            Differs { row: true, column: true, .. } => return None,
            Differs { row: true, .. } => Side::Row,
            Differs { column: true, .. } => Side::Column,
            Differs { .. } => continue,
        };
        let dims = &function.vars[*array].placement.as_ref()?.index_fn.dims;
        let is_unit = |stride: CoreOperand| stride.as_const().and_then(|x| x.as_int()) == Some(1);
        let mut side_by_side = dims.iter().zip(indices).filter(|(dim, _)| is_unit(dim.stride));
        let along_depth = side_by_side.next_back().is_some_and(|(_, &index)| differs.by(index).depth);
        let mut wanted: FxHashSet<Var> = uses(function, stm).into_iter().collect();
        let mut needs: Vec<&Stm> = Vec::new();
        for before in first.iter().chain(&body[..at]).rev() {
            if before.pattern.iter().any(|var| wanted.contains(var)) {
                wanted.extend(uses(function, before));
                needs.push(before);
            }
        }
        needs.reverse();
        found.push(Staged { stm, side, needs, along_depth });
    }
    let crosses = Side::BOTH.into_iter().all(|side| found.iter().any(|staged| staged.side == side));
    crosses.then_some(found)
}

/// Returns the number of rows and columns of a work-item, and the number of staged steps; `None` where there is no room.
fn tile(function: &Function, params: &[LoopParam], body: &Body, staged: &[Staged]) -> Option<(i64, i64)> {
    let bytes = |var: Var| function.ty(var).elem().map_or(8, |elem| elem.bytes() as i64);
    let carried: i64 = params.iter().map(|param| bytes(param.var)).sum();
    let computed = body.stms.iter().filter(|stm| !matches!(stm.expr, Expr::Index { .. })).count();
    let suits = |&&(own, most): &&(i64, usize)| computed <= most && own * own * carried <= 256;
    let &(own, _) = OWN.iter().find(suits)?;
    let step = |staged: &Staged| (width(own, staged.side) + PAD) * bytes(staged.stm.pattern[0]);
    let step: i64 = staged.iter().map(step).sum();
    let slice = SLICES.into_iter().find(|slice| slice * step <= LOCAL)?;
    Some((own, slice))
}

/// Returns `wanted` with the variables that these statements need to compute it.
fn needed(function: &Function, stms: &[Stm], mut wanted: FxHashSet<Var>) -> FxHashSet<Var> {
    for stm in stms.iter().rev() {
        if stm.pattern.iter().any(|var| wanted.contains(var)) {
            wanted.extend(uses(function, stm));
        }
    }
    wanted
}

/// Returns the variables that a statement uses, including those in the placements of its arrays.
fn uses(function: &Function, stm: &Stm) -> Vec<Var> {
    let mut used: Vec<Var> = free_in_expr(function, &stm.expr).iter().collect();
    for at in 0..used.len() {
        used.extend(placed_by(function, used[at]));
    }
    for &var in &stm.pattern {
        used.extend(placed_by(function, var));
    }
    used
}

/// Returns the variables in the placement of an array.
fn placed_by(function: &Function, var: Var) -> impl Iterator<Item = Var> {
    let places = function.vars[var].placement.iter().flat_map(|placement| {
        let dims = placement.index_fn.dims.iter().map(|dim| dim.stride);
        dims.chain([placement.index_fn.offset])
    });
    places.filter_map(|x| x.as_var())
}

/// The dimensions along which variables differ.
struct Differences<'f> {
    function: &'f Function,
    of: FxHashMap<Var, Differs>,
}

impl Differences<'_> {
    /// Returns the dimensions along which an operand differs; variables bound outside are the same everywhere.
    fn by(&self, x: CoreOperand) -> Differs {
        x.as_var().and_then(|var| self.of.get(&var)).copied().unwrap_or_default()
    }

    /// Adds the variables that statements bind.
    fn add(&mut self, stms: &[Stm]) {
        for stm in stms {
            let all = uses(self.function, stm)
                .into_iter()
                .fold(Differs::default(), |all, var| all.or(self.by(var.into())));
            self.of.extend(stm.pattern.iter().map(|&var| (var, all)));
        }
    }
}

impl Differs {
    fn or(self, other: Differs) -> Differs {
        Differs {
            row: self.row || other.row,
            column: self.column || other.column,
            depth: self.depth || other.depth,
        }
    }

    fn any(self) -> bool {
        self.row || self.column || self.depth
    }
}
