//! Which arrays of short rows or of blocks are stored with their dimensions in another order.
//!
//! ```text
//! u: [m][n][3]f32 = segmap (i < m: task, j < n: task lane) { ...; row: [3]f32 = [x, y, z]; return row };
//! v: [m][3][n]f32 = rearrange (0, 2, 1) u;
//! ```
//!
//! Where a rearranged view is all that is used of such an array, it is stored as the view has it: neighbours in lanes lie
//! side by side then, and the view is row-major. The same holds for arrays of whatever is made, if the view leaves the last
//! dimension last, whose neighbours stay neighbours; and for rows of any length that the work-items of a device make, if
//! the view has neighbouring work-items side by side.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Mapping, SegKind, Stm, Var, exprs};

/// The order, outermost dimension first, of arrays that are stored in another than their own.
pub struct Orders {
    uses: SecondaryMap<Var, u32>,
    /// Results of maps.
    maps: SecondaryMap<Var, bool>,
    /// Those whose rows are written out where they are made.
    literal_rows: SecondaryMap<Var, bool>,
    /// Of those whose rows work-items make, the dimension in which neighbouring work-items differ.
    items: SecondaryMap<Var, Option<usize>>,
    perms: SecondaryMap<Var, Option<Vec<usize>>>,
}

impl Orders {
    /// Looks at every statement of a function.
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

    /// The order in which a fresh array is to be stored, if not its own.
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
