//! Chooses arrays of short rows or of blocks that are stored with permuted dimensions.
//!
//! ```text
//! u: [m][n][3]f32 = segmap (i < m: task, j < n: task lane) { ...; row: [3]f32 = [x, y, z]; return row };
//! v: [m][3][n]f32 = rearrange (0, 2, 1) u;
//! ```
//!
//! If a rearranged view is the only use of such an array, the array is stored in the order of the view. Then elements of adjacent
//! lanes are contiguous, and the view is row-major. The same holds for arrays made by any operation if the view keeps the last
//! dimension last, so that it stays contiguous, and for rows of any length that work-items of a device make, if the view makes
//! adjacent work-items contiguous.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Mapping, SegKind, Stm, Var, exprs};

/// The storage order, outermost dimension first, of arrays that are stored with permuted dimensions.
pub struct Orders {
    uses: SecondaryMap<Var, u32>,
    /// Whether an array is the result of a map.
    maps: SecondaryMap<Var, bool>,
    /// Whether the rows of an array are array literals in the map.
    literal_rows: SecondaryMap<Var, bool>,
    /// For arrays whose rows are made by work-items, the dimension in which adjacent work-items differ.
    items: SecondaryMap<Var, Option<usize>>,
    perms: SecondaryMap<Var, Option<Vec<usize>>>,
}

impl Orders {
    /// Analyses every statement of a function.
    pub fn of(body: &Body) -> Orders {
        let mut orders = Orders {
            uses: SecondaryMap::default(),
            maps: SecondaryMap::default(),
            literal_rows: SecondaryMap::default(),
            items: SecondaryMap::default(),
            perms: SecondaryMap::default(),
        };
        orders.body(body);
        orders
    }

    /// Returns the storage order of a fresh array, if it differs from the order of its dimensions.
    pub fn order(&self, var: Var) -> Option<&Vec<usize>> {
        let perm = self.perms[var].as_ref()?;
        let last = perm.last()?;
        let keeps_neighbours = *last == perm.len() - 1 || self.items[var] == Some(*last);
        (self.uses[var] == 1 && self.maps[var] && (keeps_neighbours || self.literal_rows[var]))
            .then_some(perm)
    }
}

impl Visitor<'_> for Orders {
    fn var(&mut self, var: &Var) {
        self.uses[*var] += 1;
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Rearrange { array, perm } => self.perms[*array] = Some(perm.clone()),
            Expr::Seg(op) if op.kind == SegKind::Map => {
                for (&var, result) in stm.pattern.iter().zip(&op.body.result) {
                    let made = op.body.stms.iter().find(|stm| Some(stm.pattern[0]) == result.as_var());
                    self.maps[var] = true;
                    self.items[var] = (op.space.last())
                        .filter(|dim| dim.mapping == Mapping::Thread)
                        .map(|_| op.space.len() - 1);
                    self.literal_rows[var] = made.is_some_and(|stm| matches!(stm.expr, Expr::ArrayLit(_)));
                }
            }
            exprs!(
                Operand, scalar, Assert, Index, Slice, Update, fresh, Reshape, nested, Call, UpdateAcc,
                Tuned, Alloc
            ) => {}
        }
        self.walk_stm(stm);
    }
}
