//! Register tiles without blocking: eight rows at a time, for products of any size.

use warpwise_ir::{Body, Expr, Mapping, Operand, SegDim, SegKind, SegOp, Stm, Type, Var};
use warpwise_prim::BinaryOp;

use crate::side_by_side::Copies;

use super::ROWS;
use super::made::Made;

impl Made<'_> {
    /// Returns the body of the version with tiles.
    pub fn tiles(&mut self, stm: &Stm, op: &SegOp) -> Body {
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

    /// Returns the array of rows from tiles.
    fn rows_of(&mut self, tiles: Var, like: Var, shape: &[Operand], rows: Operand) -> Operand {
        let wanted = self.function.ty(like).shape().to_vec();
        let rank = shape.len();
        let mut perm: Vec<usize> = (0..rank).collect();
        perm.swap(rank - 2, rank - 1);
        let turned = self.turned(tiles.into(), perm);
        let mut flat = wanted.clone();
        flat[rank - 3] = rows;
        let whole = self.reshaped(turned, flat);
        self.part(whole, &vec![Operand::i64(0); wanted.len()], &wanted)
    }

    fn tile_body(&mut self, op: &SegOp, row: Var, block: Var, last: Operand) -> Body {
        let rows = self.rows_at(block.into(), last);
        let result = self.side_by_side(&op.body, [(row, rows)]);
        Body { stms: std::mem::take(&mut self.stms), result }
    }

    /// Copies a body for every row of a tile. Returns, for each result, the array of its values in all rows.
    pub fn side_by_side<const N: usize>(
        &mut self,
        body: &Body,
        differing: [(Var, Vec<Operand>); N],
    ) -> Vec<Operand> {
        let mut copies = Copies::new(self.function, ROWS as usize, differing);
        copies.stms(&body.stms);
        let values: Vec<Vec<Operand>> = body.result.iter().map(|&x| copies.values_of(x)).collect();
        self.stms.extend(copies.take_stms());
        let mut row = |values: Vec<Operand>| {
            let ty = self.function.operand_type(values[0]).as_scalar().expect("a scalar");
            self.bind("row", Type::array(ty, [Operand::i64(ROWS)]), Expr::ArrayLit(values))
        };
        values.into_iter().map(&mut row).collect()
    }

    /// Returns the rows of a tile, limited to the last row.
    pub fn rows_at(&mut self, block: Operand, last: Operand) -> Vec<Operand> {
        let base = self.binary("base", BinaryOp::Mul, block, ROWS);
        let mut row = |number| {
            let at = self.binary("row", BinaryOp::Add, base, number);
            self.binary("row", BinaryOp::SMin, last, at)
        };
        (0..ROWS).map(&mut row).collect()
    }
}
