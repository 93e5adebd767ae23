//! Which maps have the shape of a matrix product, and what of their bodies is done when.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand as CoreOperand, SegOp, Stm, Type, Var};
use warpwise_prim::ScalarType;

use super::{ACROSS, DOWN, PAD};

/// Bytes of local memory for what is staged.
const LOCAL: i64 = 16 << 10;

/// Steps that are staged at a time, as many as local memory has room for.
const SLICES: [i64; 3] = [16, 8, 4];

/// Rows and columns of a work-item, with the statements of a step up to which its registers suffice.
const OWN: [(i64, usize); 2] = [(8, 4), (4, 16)];

/// A map whose points fold what they load by row and by column.
pub(super) struct Product<'a> {
    pub stm: &'a Stm,
    pub op: &'a SegOp,
    /// What comes before the loop, as far as the loop needs it.
    pub before: Vec<&'a Stm>,
    /// What the loop carries, and the variables that it yields.
    pub params: &'a [LoopParam],
    pub folded: &'a [Var],
    /// The loop's index, and how often it runs.
    pub index: Var,
    pub bound: CoreOperand,
    pub body: &'a Body,
    /// What remains for after the loop.
    pub after: Vec<&'a Stm>,
    /// The loads that serve a whole tile.
    pub staged: Vec<Staged<'a>>,
    /// Rows, and columns, of a work-item.
    pub own: i64,
    /// Steps that are staged at a time, a power of two.
    pub slice: i64,
}

/// A load that serves a row of points, or a column.
pub(super) struct Staged<'a> {
    pub stm: &'a Stm,
    pub side: Side,
    /// The statements that say where it loads.
    pub needs: Vec<&'a Stm>,
    /// Whether neighbouring steps lie side by side in memory, and not neighbouring rows or columns.
    pub along_depth: bool,
}

/// The dimension that a load depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Row,
    Column,
}

/// What a variable differs by.
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
    /// A map as a product, if it is one.
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

    /// Rows or columns of a tile, a power of two.
    pub fn width(&self, side: Side) -> i64 {
        width(self.own, side)
    }

    /// The variable that counts rows or columns.
    pub fn index_of(&self, side: Side) -> Var {
        self.op.space[self.op.space.len() - 2 + side as usize].index
    }

    /// The points of a work-item, as numbers of its rows and columns.
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

/// The loads of a loop that serve a row or a column; none where one serves a single point, or they do not cross.
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

/// How many rows and columns a work-item has, and how many steps are staged; none where there is no room.
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

/// What of these statements is needed for certain variables: the variables they bind.
fn needed(function: &Function, stms: &[Stm], mut wanted: FxHashSet<Var>) -> FxHashSet<Var> {
    for stm in stms.iter().rev() {
        if stm.pattern.iter().any(|var| wanted.contains(var)) {
            wanted.extend(uses(function, stm));
        }
    }
    wanted
}

/// The variables that a statement uses, also to say where arrays lie.
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

/// The variables that say where an array lies.
fn placed_by(function: &Function, var: Var) -> impl Iterator<Item = Var> {
    let places = function.vars[var].placement.iter().flat_map(|placement| {
        let dims = placement.index_fn.dims.iter().map(|dim| dim.stride);
        dims.chain([placement.index_fn.offset])
    });
    places.filter_map(|x| x.as_var())
}

/// What variables differ by.
struct Differences<'f> {
    function: &'f Function,
    of: FxHashMap<Var, Differs>,
}

impl Differences<'_> {
    /// Those of operands; what is bound outside is the same everywhere.
    fn by(&self, x: CoreOperand) -> Differs {
        x.as_var().and_then(|var| self.of.get(&var)).copied().unwrap_or_default()
    }

    /// Adds what statements bind.
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
