//! Copies a body several times side by side. Statements that do not depend on the differing variables are computed once.
//!
//! ```text
//! x: f32 = index a[i, k];                x0: f32 = index a[i0, k]; x1: f32 = index a[i1, k];
//! y: f32 = index b[k];             ==>   y: f32 = index b[k];
//! z: f32 = fmul x y;                     z0: f32 = fmul x0 y; z1: f32 = fmul x1 y;
//! ```
//!
//! Loops are jammed: one loop carries the values of all copies. The bodies must be plain ([`is_plain`]).

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand, Stm, Var, exprs};

/// Copies under construction.
pub struct Copies<'f> {
    function: &'f mut Function,
    /// Number of copies.
    number: usize,
    /// For each variable that differs, its value in each copy.
    values: FxHashMap<Var, Vec<Operand>>,
    stms: Vec<Stm>,
}

impl<'f> Copies<'f> {
    /// Starts `number` copies. Each variable of `differing` is replaced by its value in each copy.
    pub fn new<const N: usize>(
        function: &'f mut Function,
        number: usize,
        differing: [(Var, Vec<Operand>); N],
    ) -> Copies<'f> {
        Copies { function, number, values: FxHashMap::from_iter(differing), stms: Vec::new() }
    }

    /// Copies statements. Statements that depend on no differing variable are emitted once and keep their names.
    pub fn stms<'a>(&mut self, stms: impl IntoIterator<Item = &'a Stm>) {
        for stm in stms {
            let mut depends = false;
            stm.expr.for_each_operand(|x| depends |= self.depends(x));
            match &stm.expr {
                Expr::Loop { params, form, body } => self.jammed_loop(stm, params, *form, body),
                _ if depends => self.each(stm),
                exprs!(simple, If, soac, Seg) => self.stms.push(stm.clone()),
            }
        }
    }

    /// Returns the value of an operand in each copy.
    pub fn values_of(&self, x: Operand) -> Vec<Operand> {
        let values = x.as_var().and_then(|var| self.values.get(&var));
        values.cloned().unwrap_or_else(|| vec![x; self.number])
    }

    /// Takes out the statements so far.
    pub fn take_stms(&mut self) -> Vec<Stm> {
        std::mem::take(&mut self.stms)
    }

    fn depends(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.values.contains_key(&var))
    }

    /// Emits a statement once for every copy.
    fn each(&mut self, stm: &Stm) {
        let mut values = Vec::new();
        for number in 0..self.number {
            let mut expr = stm.expr.clone();
            expr.map_operands(|x| self.values_of(x)[number]);
            let var = self.function.fresh_like(stm.pattern[0]);
            self.stms.push(Stm { pattern: vec![var], expr, certs: stm.certs.clone(), span: stm.span });
            values.push(var.into());
        }
        self.values.insert(stm.pattern[0], values);
    }

    /// Emits one loop that carries the values of all copies.
    fn jammed_loop(&mut self, stm: &Stm, params: &[LoopParam], form: LoopForm, body: &Body) {
        let mut all = Vec::new();
        for param in params {
            let mut values = Vec::new();
            for init in self.values_of(param.init) {
                let var = self.function.fresh_like(param.var);
                all.push(LoopParam { var, init, consumed: param.consumed });
                values.push(var.into());
            }
            self.values.insert(param.var, values);
        }
        let outside = self.take_stms();
        self.stms(&body.stms);
        let stms = std::mem::replace(&mut self.stms, outside);
        let result = body.result.iter().flat_map(|&x| self.values_of(x)).collect();
        let mut pattern = Vec::new();
        for &var in &stm.pattern {
            let vars: Vec<Var> = (0..self.number).map(|_| self.function.fresh_like(var)).collect();
            self.values.insert(var, vars.iter().map(|&var| var.into()).collect());
            pattern.extend(vars);
        }
        let expr = Expr::Loop { params: all, form, body: Body { stms, result } };
        self.stms.push(Stm { pattern, expr, certs: stm.certs.clone(), span: stm.span });
    }
}

/// Whether a body computes only scalars, with loops at most one level deep.
pub fn is_plain(function: &Function, body: &Body) -> bool {
    are_plain(function, body, true)
}

fn are_plain(function: &Function, body: &Body, loops: bool) -> bool {
    body.stms.iter().all(|stm| {
        let scalars = stm.pattern.iter().all(|&var| function.ty(var).as_scalar().is_some());
        scalars
            && if let Expr::Loop { form: LoopForm::For { .. }, body, .. } = &stm.expr {
                loops && are_plain(function, body, false)
            } else {
                stm.expr.is_straight()
            }
    })
}

/// Returns every variable of a plain body that depends on one of the given variables. All results of a loop depend if anything in
/// it does.
pub fn dependents(body: &Body, on: impl IntoIterator<Item = Var>) -> FxHashSet<Var> {
    let mut found = FxHashSet::from_iter(on);
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
