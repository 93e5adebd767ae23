//! Computes several rows at a time where rows share what they load: register tiles of matrix products.
//!
//! ```text
//! t: [n][p]f32 = segmap (i < n: task, j < p: task lane) {
//!   s: f32 = loop (acc: f32 = 0.0f32) for k: i64 < m {
//!     x: f32 = index a[i, k]; y: f32 = index b[k, j]; z: f32 = fmul x y; c: f32 = fadd acc z; return c };
//!   return s }
//! ==>
//! u: [blocks][p][8]f32 = segmap (block < blocks: task, j < p: task lane) {
//!   i0, ..., i7                              rows 8*block to 8*block + 7, at most n - 1
//!   s0, ..., s7 = loop (acc0, ..., acc7) for k: i64 < m {
//!     y: f32 = index b[k, j];                loaded once for all rows
//!     x0: f32 = index a[i0, k]; ... };
//!   row: [8]f32 = [s0, ..., s7];
//!   return row }
//! v: [blocks][8][p]f32 = rearrange (0, 2, 1) u;        `place` stores `u` in this order
//! w: [rows][p]f32 = reshape [rows][p] v;
//! t: [n][p]f32 = slice w[0:n:1, 0:p:1];
//! ```
//!
//! What does not depend on the row is computed once; each row's sums keep their order, so results do not change. Few
//! rows take the body as it was. Whatever the operators are, the shape decides: two parallel dimensions, the inner in
//! lanes, and a loop in which something varying is loaded that is the same for all rows.
//!
//! Not done here: blocking for caches, packing, bodies with checks, choices, arrays or nested loops.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Limit, Span};
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, LoopForm, LoopParam, Mapping, Operand, Program, SegDim, SegKind, SegOp,
    SliceDim, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::rewrite_bodies;

/// Rows of a tile: with two vectors a row they fill half of 32 registers.
const ROWS: i64 = 8;

/// Rows from which on tiles are used: the last tile may compute rows in vain.
const LEAST_ROWS: i64 = 2 * ROWS;

/// Tiles matrix-product-shaped operations of every function.
pub fn tile(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, walk);
    Ok(())
}

/// Host code only: operations within operations have their tasks already.
fn walk(function: &mut Function, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        match &mut stm.expr {
            Expr::Seg(op) if is_tileable(function, op) => {
                let stm = versions(function, stm);
                body.stms.extend(stm);
                continue;
            }
            Expr::Seg(_) => {}
            expr => expr.for_each_body_mut(|body| walk(function, body)),
        }
        body.stms.push(stm);
    }
}

fn is_tileable(function: &Function, op: &SegOp) -> bool {
    let [.., row, lane] = op.space.as_slice() else { return false };
    let scalars = op.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some());
    if op.kind != SegKind::Map
        || row.mapping != Mapping::Task
        || lane.mapping != Mapping::TaskLane
        || !scalars
        || !is_plain(function, &op.body, true)
    {
        return false;
    }
    let (by_row, by_lane) = (dependents(&op.body, row.index), dependents(&op.body, lane.index));
    let shared = |stm: &Stm| {
        let var = stm.pattern[0];
        matches!(stm.expr, Expr::Index { .. }) && !by_row.contains(&var) && by_lane.contains(&var)
    };
    op.body.stms.iter().any(|stm| match &stm.expr {
        Expr::Loop { form: LoopForm::For { bound, .. }, body, .. } => {
            let uniform = |var: Var| !by_row.contains(&var) && !by_lane.contains(&var);
            bound.as_var().is_none_or(uniform) && body.stms.iter().any(shared)
        }
        _ => false,
    })
}

/// Whether there are scalars only, and loops over them one level deep.
fn is_plain(function: &Function, body: &Body, loops: bool) -> bool {
    body.stms.iter().all(|stm| {
        let scalars = stm.pattern.iter().all(|&var| function.ty(var).as_scalar().is_some());
        scalars
            && match &stm.expr {
                Expr::Operand(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Ternary(..)
                | Expr::Compare(..)
                | Expr::Convert(..)
                | Expr::Select(..)
                | Expr::Index { .. } => true,
                Expr::Loop { form: LoopForm::For { .. }, body, .. } => {
                    loops && is_plain(function, body, false)
                }
                _ => false,
            }
    })
}

/// Everything in a body that depends on a variable; results of a loop do if anything in it does.
fn dependents(body: &Body, on: Var) -> FxHashSet<Var> {
    let mut found = FxHashSet::from_iter([on]);
    collect(body, &mut found);
    found
}

fn collect(body: &Body, found: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        let mut depends = false;
        stm.expr.for_each_operand(|x| depends |= x.as_var().is_some_and(|var| found.contains(&var)));
        if let Expr::Loop { params, body, .. } = &stm.expr {
            let mut inside = found.clone();
            inside.extend(params.iter().map(|param| param.var));
            collect(body, found);
            collect(body, &mut inside);
            depends |= body.result.iter().any(|x| x.as_var().is_some_and(|var| found.contains(&var)));
            if depends {
                found.extend(inside);
            }
        }
        if depends {
            found.extend(&stm.pattern);
        }
    }
}

/// The statements that bind what `stm` binds: tiles where there are enough rows, else what it was.
fn versions(function: &mut Function, stm: Stm) -> Vec<Stm> {
    let Expr::Seg(op) = &stm.expr else { unreachable!("a tileable statement") };
    let rows = op.space[op.space.len() - 2].extent;
    let mut made = Made { function, stms: Vec::new(), span: stm.span };
    let many = made.bind("many", Type::BOOL, Expr::Compare(CompareOp::SLe, Operand::i64(LEAST_ROWS), rows));
    let whole = Copier::within(made.function, Substitution::new()).copy_expr(&stm.expr);
    let tiles = made.tiles(&stm, op);
    let plain: Vec<Var> = stm.pattern.iter().map(|&var| made.function.fresh_like(var)).collect();
    let result = plain.iter().map(|&var| var.into()).collect();
    let plain = Stm { pattern: plain, expr: whole, certs: stm.certs.clone(), span: stm.span };
    let else_body = Body { stms: vec![plain], result };
    let expr = Expr::If { cond: many, then_body: tiles, else_body, branch: Branch::Plain };
    let mut stms = made.stms;
    stms.push(Stm { pattern: stm.pattern, expr, certs: vec![], span: stm.span });
    stms
}

/// Statements under construction.
struct Made<'f> {
    function: &'f mut Function,
    stms: Vec<Stm>,
    span: Span,
}

impl Made<'_> {
    fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Operand {
        let var = self.function.fresh(name, ty);
        self.stms.push(Stm { pattern: vec![var], expr, certs: vec![], span: self.span });
        var.into()
    }

    fn binary(&mut self, name: &str, op: BinaryOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.bind(name, Type::I64, Expr::Binary(op, x.into(), y.into()))
    }

    /// The body of the version with tiles.
    fn tiles(&mut self, stm: &Stm, op: &SegOp) -> Body {
        let outside = std::mem::take(&mut self.stms);
        let (outer, [row, lane]) = op.space.split_last_chunk().expect("two dimensions at least");
        let above = self.binary("above", BinaryOp::Add, row.extent, ROWS - 1);
        let blocks = self.binary("blocks", BinaryOp::SQuot, above, ROWS);
        let last = self.binary("last", BinaryOp::Sub, row.extent, 1);
        let block = self.function.fresh("block", Type::I64);
        let mut space = outer.to_vec();
        space.push(SegDim { index: block, extent: blocks, mapping: Mapping::Task });
        space.push(*lane);
        let host = std::mem::take(&mut self.stms);
        let body = self.tile_body(op, row.index, block, last);
        self.stms = host;
        let mut shape: Vec<Operand> = space.iter().map(|dim| dim.extent).collect();
        shape.push(Operand::i64(ROWS));
        let pattern: Vec<Var> = (stm.pattern.iter())
            .map(|&var| {
                let elem = self.function.ty(var).elem().expect("an array");
                self.function.fresh("tiles", Type::array(elem, shape.iter().copied()))
            })
            .collect();
        let tiled = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
        self.stms.push(Stm {
            pattern: pattern.clone(),
            expr: tiled,
            certs: stm.certs.clone(),
            span: stm.span,
        });
        let rows = self.binary("rows", BinaryOp::Mul, blocks, ROWS);
        let result = (pattern.iter().zip(&stm.pattern))
            .map(|(&tiles, &var)| self.rows_of(tiles, var, &shape, rows))
            .collect();
        Body { stms: std::mem::replace(&mut self.stms, outside), result }
    }

    /// The array of the rows that tiles hold.
    fn rows_of(&mut self, tiles: Var, like: Var, shape: &[Operand], rows: Operand) -> Operand {
        let elem = self.function.ty(like).elem().expect("an array");
        let wanted = self.function.ty(like).shape().to_vec();
        let rank = shape.len();
        let mut perm: Vec<usize> = (0..rank).collect();
        perm.swap(rank - 2, rank - 1);
        let turned = Type::array(elem, perm.iter().map(|&dim| shape[dim]));
        let turned = self.bind("turned", turned, Expr::Rearrange { array: tiles, perm });
        let mut flat = wanted.clone();
        flat[rank - 3] = rows;
        let whole = Type::array(elem, flat.iter().copied());
        let array = turned.as_var().expect("just bound");
        let whole = self.bind("whole", whole, Expr::Reshape { array, shape: flat.into() });
        let array = whole.as_var().expect("just bound");
        let all = |&len: &Operand| SliceDim::Range { start: Operand::i64(0), len, stride: Operand::i64(1) };
        let dims = wanted.iter().map(all).collect();
        self.bind("some", Type::array(elem, wanted), Expr::Slice { array, dims })
    }

    fn tile_body(&mut self, op: &SegOp, row: Var, block: Var, last: Operand) -> Body {
        let base = self.binary("base", BinaryOp::Mul, block, ROWS);
        let rows = (0..ROWS).map(|number| {
            let at = self.binary("row", BinaryOp::Add, base, number);
            self.binary("row", BinaryOp::SMin, last, at)
        });
        let rows = rows.collect();
        let mut jam = Jam { made: self, copies: FxHashMap::from_iter([(row, rows)]) };
        jam.body(&op.body);
        let copies: Vec<Vec<Operand>> = op.body.result.iter().map(|&x| jam.copies_of(x)).collect();
        let mut result = Vec::new();
        for copies in copies {
            let ty = self.function.operand_type(copies[0]).as_scalar().expect("a scalar");
            let row = Type::array(ty, [Operand::i64(ROWS)]);
            result.push(self.bind("row", row, Expr::ArrayLit(copies)));
        }
        Body { stms: std::mem::take(&mut self.stms), result }
    }
}

/// Copies of statements for every row of a tile, side by side.
struct Jam<'m, 'f> {
    made: &'m mut Made<'f>,
    /// For what depends on the row, its value in each.
    copies: FxHashMap<Var, Vec<Operand>>,
}

impl Jam<'_, '_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            let mut depends = false;
            stm.expr.for_each_operand(|x| depends |= self.depends(x));
            match &stm.expr {
                Expr::Loop { params, form, body } => self.jammed_loop(stm, params, *form, body),
                _ if depends => self.each(stm),
                _ => self.made.stms.push(stm.clone()),
            }
        }
    }

    fn depends(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.copies.contains_key(&var))
    }

    fn copies_of(&self, x: Operand) -> Vec<Operand> {
        let copies = x.as_var().and_then(|var| self.copies.get(&var));
        copies.cloned().unwrap_or_else(|| vec![x; ROWS as usize])
    }

    /// A statement once for every row.
    fn each(&mut self, stm: &Stm) {
        let mut values = Vec::new();
        for number in 0..ROWS as usize {
            let mut expr = stm.expr.clone();
            expr.map_operands(|x| self.copies_of(x)[number]);
            let var = self.made.function.fresh_like(stm.pattern[0]);
            self.made.stms.push(Stm { pattern: vec![var], expr, certs: stm.certs.clone(), span: stm.span });
            values.push(var.into());
        }
        self.copies.insert(stm.pattern[0], values);
    }

    /// One loop that carries what the loops of all rows carry.
    fn jammed_loop(&mut self, stm: &Stm, params: &[LoopParam], form: LoopForm, body: &Body) {
        let mut all = Vec::new();
        for param in params {
            let mut values = Vec::new();
            for init in self.copies_of(param.init) {
                let var = self.made.function.fresh_like(param.var);
                all.push(LoopParam { var, init, consumed: param.consumed });
                values.push(var.into());
            }
            self.copies.insert(param.var, values);
        }
        let outside = std::mem::take(&mut self.made.stms);
        self.body(body);
        let stms = std::mem::replace(&mut self.made.stms, outside);
        let result = body.result.iter().flat_map(|&x| self.copies_of(x)).collect();
        let mut pattern = Vec::new();
        for &var in &stm.pattern {
            let vars: Vec<Var> = (0..ROWS).map(|_| self.made.function.fresh_like(var)).collect();
            self.copies.insert(var, vars.iter().map(|&var| var.into()).collect());
            pattern.extend(vars);
        }
        let expr = Expr::Loop { params: all, form, body: Body { stms, result } };
        self.made.stms.push(Stm { pattern, expr, certs: stm.certs.clone(), span: stm.span });
    }
}
