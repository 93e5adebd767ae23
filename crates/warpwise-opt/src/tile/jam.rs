//! Copies of a body for every row of a tile, side by side: what does not depend on the row is computed once.

use rustc_hash::FxHashMap;
use warpwise_ir::{Body, Expr, LoopForm, LoopParam, Operand, Stm, Type, Var};

use super::ROWS;
use super::made::Made;

/// Copies of statements for every row of a tile, side by side.
pub struct Jam<'m, 'f> {
    /// Takes the statements.
    pub made: &'m mut Made<'f>,
    /// For what depends on the row, its value in each.
    pub copies: FxHashMap<Var, Vec<Operand>>,
}

impl Jam<'_, '_> {
    /// Copies the statements of a body.
    pub fn body(&mut self, body: &Body) {
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

    /// Copies a body and binds, for each of its results, the array of its values in all rows.
    pub fn rows_of(&mut self, body: &Body) -> Vec<Operand> {
        self.body(body);
        let row = |this: &mut Self, x: Operand| {
            let copies = this.copies_of(x);
            let ty = this.made.function.operand_type(copies[0]).as_scalar().expect("a scalar");
            this.made.bind("row", Type::array(ty, [Operand::i64(ROWS)]), Expr::ArrayLit(copies))
        };
        body.result.iter().map(|&x| row(self, x)).collect()
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
