//! Keeps scalars that only kernels need on the device that computes them, so that the host need not wait for them.
//!
//! ```text
//! loop (xs = xs0) for i < steps {               loop (xs = xs0) for i < steps {
//!   s = segred (j < n: thread) ...                s_1: [1]f32 = segred (z < 1: thread) (j < n: thread) ...
//!   m = fdiv s n                                  ys = segmap (j < n: thread) {
//!   ys = segmap (j < n: thread) {         ==>       s_2 = index s_1[0]; m_1 = fdiv s_2 n
//!     x = index xs[j]; y = fsub x m; ... }          x = index xs[j]; y = fsub x m_1; ... }
//!   return ys }                                   return ys }
//! ```
//!
//! Such a scalar is stored as an array of one element. A cheap value computed from it is recomputed where it is used, any other
//! value is computed by an operation over one point. Loops and choices pass such scalars as arrays of one element, and updates
//! and replications take them. A value that the host needs after a loop is read after the loop. All reductions to scalars yield
//! such arrays, from which the host reads the values that it needs.
//!
//! Needs: level `seg`, scheduled for a device. Not done here: choices and loops whose conditions come from the device; the host
//! waits for these.

mod residence;

use rustc_hash::FxHashMap;
use warpwise_diag::{Limit, Span};
use warpwise_ir::traverse::{Copier, Substitution, free_in_body, free_in_expr};
use warpwise_ir::{
    Body, Expr, Function, LoopParam, Mapping, Operand, Program, SegDim, SegKind, SegOp, SliceDim, Stm, Type,
    Var, exprs,
};

use residence::{Residence, computes_scalar, reduces_scalars};

/// Maximum number of statements that are repeated in every kernel that needs their value.
const MOST_REPEATED: usize = 12;

/// Keeps scalars on the device in every function.
pub fn migrate(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let residence = Residence::of(function);
        let body = std::mem::take(&mut function.body);
        let mut migration = Migration { function, residence, places: FxHashMap::default() };
        let body = migration.body(body);
        migration.function.body = body;
    }
    Ok(())
}

/// The source of a scalar in kernels.
#[derive(Clone)]
enum Place {
    /// The element of this array.
    Stored(Var),
    /// Computed by this statement. The number counts all statements that are needed.
    Computed(Stm, usize),
}

/// The state of migrating a function.
struct Migration<'f> {
    function: &'f mut Function,
    residence: Residence,
    /// The sources of all scalars in scope that stay on the device.
    places: FxHashMap<Var, Place>,
}

impl Migration<'_> {
    fn body(&mut self, body: Body) -> Body {
        let mut out = Vec::with_capacity(body.stms.len());
        body.stms.into_iter().for_each(|stm| self.stm(stm, &mut out));
        Body { stms: out, result: body.result }
    }

    /// Migrates a body. Its results at these positions become arrays of one element.
    fn body_storing(&mut self, body: Body, stored: &[bool]) -> Body {
        let around = self.places.clone();
        let Body { mut stms, mut result } = self.body(body);
        for (x, _) in result.iter_mut().zip(stored).filter(|(_, stored)| **stored) {
            *x = self.stored_operand(*x, Span::NONE, &mut stms).into();
        }
        self.places = around;
        Body { stms, result }
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match &mut stm.expr {
            Expr::Seg(op) => {
                self.load_within(&mut op.body, stm.span);
                match reduces_scalars(self.function, op) {
                    true => self.reduction(stm, out),
                    false => out.push(stm),
                }
            }
            Expr::Loop { .. } => self.carry(stm, out),
            Expr::If { .. } => self.choice(stm, out),
            Expr::Index { .. } if self.residence.stays(stm.pattern[0]) => {
                self.store(stm, out);
            }
            Expr::Update { value, .. } | Expr::Replicate { value, .. } if self.operand_stays(*value) => {
                self.array_of(stm, out);
            }
            expr @ exprs!(Operand, scalar)
                if computes_scalar(self.function, expr, stm.pattern[0])
                    && self.residence.stays(stm.pattern[0]) =>
            {
                match self.statements(&stm) {
                    count if count <= MOST_REPEATED => {
                        self.places.insert(stm.pattern[0], Place::Computed(stm, count));
                    }
                    _ => {
                        self.store(stm, out);
                    }
                }
            }
            exprs!(simple, soac) => out.push(stm),
        }
    }

    fn operand_stays(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.residence.stays(var))
    }

    /// Returns the number of statements that compute a value, including this one.
    fn statements(&self, stm: &Stm) -> usize {
        let mut count = 1;
        stm.expr.for_each_operand(|x| {
            count += match x.as_var().and_then(|var| self.places.get(&var)) {
                Some(Place::Computed(_, further)) => *further,
                Some(Place::Stored(_)) => 1,
                None => 0,
            };
        });
        count
    }

    /// Inserts loads and computations of the device's scalars that the body of a kernel needs at its start.
    fn load_within(&mut self, body: &mut Body, span: Span) {
        let free: Vec<Var> = free_in_body(self.function, body).iter().collect();
        let mut loads = Loads { stms: Vec::new(), substitution: Substitution::new(), span };
        free.into_iter().for_each(|var| self.load(var, &mut loads));
        if loads.substitution.is_empty() {
            return;
        }
        loads.substitution.apply_body(self.function, body);
        body.stms.splice(0..0, loads.stms);
    }

    /// Loads or computes a scalar in a kernel, if it stays on the device.
    fn load(&mut self, var: Var, loads: &mut Loads) {
        if loads.substitution.apply(var.into()) != var.into() {
            return;
        }
        let Some(place) = self.places.get(&var).cloned() else { return };
        let (expr, certs, span) = match place {
            Place::Stored(array) => {
                let first = Expr::Index { array, indices: vec![Operand::i64(0)] };
                (first, Vec::new(), loads.span)
            }
            Place::Computed(Stm { expr, certs, span, .. }, _) => {
                let free: Vec<Var> = free_in_expr(self.function, &expr).iter().collect();
                free.into_iter().for_each(|var| self.load(var, loads));
                (Copier::within(self.function, loads.substitution.clone()).copy_expr(&expr), certs, span)
            }
        };
        let fresh = self.function.fresh_like(var);
        loads.stms.push(Stm { pattern: vec![fresh], expr, certs, span });
        loads.substitution.insert(var, fresh);
    }

    /// Stores the scalar that a statement computes. Returns the array of one element.
    fn store(&mut self, stm: Stm, out: &mut Vec<Stm>) -> Var {
        let (scalar, span) = (stm.pattern[0], stm.span);
        let array = self.array_like(scalar);
        let value = self.function.fresh_like(scalar);
        let certs = stm.certs.clone();
        let mut body = Body { stms: vec![Stm { pattern: vec![value], ..stm }], result: vec![value.into()] };
        self.load_within(&mut body, span);
        let expr = Expr::Seg(Box::new(SegOp { space: vec![self.one_point()], kind: SegKind::Map, body }));
        out.push(Stm { pattern: vec![array], expr, certs, span });
        self.places.insert(scalar, Place::Stored(array));
        array
    }

    /// Returns an array of one element that holds a scalar, regardless of its residence.
    fn stored_operand(&mut self, x: Operand, span: Span, out: &mut Vec<Stm>) -> Var {
        let place = x.as_var().and_then(|var| self.places.get(&var).cloned());
        match place {
            Some(Place::Stored(array)) => array,
            Some(Place::Computed(stm, _)) => self.store(stm, out),
            None => {
                let ty = self.function.operand_type(x).array_of(&[Operand::i64(1)]);
                let array = self.function.fresh("one", ty);
                let expr = Expr::Replicate { shape: [Operand::i64(1)].into_iter().collect(), value: x };
                out.push(Stm { pattern: vec![array], expr, certs: Vec::new(), span });
                array
            }
        }
    }

    /// Emits a reduction whose results are arrays of one element.
    fn reduction(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Expr::Seg(op) = &mut stm.expr else { unreachable!("a reduction is a segmented operation") };
        op.space.insert(0, self.one_point());
        let (certs, span) = (stm.certs.clone(), stm.span);
        let mut after = Vec::new();
        for var in &mut stm.pattern {
            let old = std::mem::replace(var, self.array_like(*var));
            let ty = self.function.ty(old);
            if let Type::Scalar(_) = ty {
                self.read(old, *var, span, &mut after);
            } else {
                let expr = Expr::Reshape { array: *var, shape: ty.shape().iter().copied().collect() };
                after.push(Stm { pattern: vec![old], expr, certs: certs.clone(), span });
            }
        }
        out.push(stm);
        out.append(&mut after);
    }

    /// Makes a scalar the element of an array. The host reads it if it needs it.
    fn read(&mut self, scalar: Var, array: Var, span: Span, out: &mut Vec<Stm>) {
        if self.residence.stays(scalar) {
            self.places.insert(scalar, Place::Stored(array));
        } else {
            let expr = Expr::Index { array, indices: vec![Operand::i64(0)] };
            out.push(Stm { pattern: vec![scalar], expr, certs: Vec::new(), span });
        }
    }

    /// Emits a loop that carries arrays of one element for scalars that stay on the device.
    fn carry(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Expr::Loop { params, body, .. } = &mut stm.expr else { unreachable!("a loop is one") };
        let stored: Vec<bool> = params.iter().map(|param| self.residence.stays(param.var)).collect();
        for (param, _) in params.iter_mut().zip(&stored).filter(|(_, stored)| **stored) {
            let init = self.stored_operand(param.init, stm.span, out).into();
            let var = self.array_like(param.var);
            self.places.insert(param.var, Place::Stored(var));
            *param = LoopParam { var, init, consumed: false };
        }
        *body = self.body_storing(std::mem::take(body), &stored);
        self.results(stm, &stored, out);
    }

    /// Emits a choice that yields arrays of one element for scalars that stay on the device.
    fn choice(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Expr::If { then_body, else_body, .. } = &mut stm.expr else { unreachable!("a choice is one") };
        let stored: Vec<bool> = stm.pattern.iter().map(|&var| self.residence.stays(var)).collect();
        for body in [then_body, else_body] {
            *body = self.body_storing(std::mem::take(body), &stored);
        }
        self.results(stm, &stored, out);
    }

    /// Binds the results of a statement, some of which are arrays of one element instead of scalars.
    fn results(&mut self, mut stm: Stm, stored: &[bool], out: &mut Vec<Stm>) {
        let span = stm.span;
        let mut after = Vec::new();
        for (var, _) in stm.pattern.iter_mut().zip(stored).filter(|(_, stored)| **stored) {
            let scalar = std::mem::replace(var, self.array_like(*var));
            self.read(scalar, *var, span, &mut after);
        }
        out.push(stm);
        out.append(&mut after);
    }

    /// Emits an update or a replication whose value stays on the device.
    fn array_of(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match &mut stm.expr {
            Expr::Update { dims, value, .. } => {
                *value = self.stored_operand(*value, stm.span, out).into();
                // The last fixed dimension becomes a range of length one.
                if let Some(SliceDim::Fix(start)) = dims.last().copied() {
                    let (len, stride) = (Operand::i64(1), Operand::i64(1));
                    dims.pop();
                    dims.push(SliceDim::Range { start, len, stride });
                }
            }
            Expr::Replicate { shape, value } => {
                let dim = |function: &mut Function, extent| {
                    let index = function.fresh("i", Type::I64);
                    SegDim { index, extent, mapping: Mapping::Thread }
                };
                let space = shape.iter().map(|&extent| dim(self.function, extent)).collect();
                let mut body = Body { stms: Vec::new(), result: vec![*value] };
                self.load_within(&mut body, stm.span);
                stm.expr = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
            }
            expr @ exprs!(
                Operand, scalar, Assert, view, Iota, ArrayLit, Concat, Copy, Manifest, Scratch, nested, Call,
                UpdateAcc, Tuned, Alloc
            ) => unreachable!("{expr:?} is no update or replication"),
        }
        out.push(stm);
    }

    /// Returns a fresh array of the values of a variable, with an outer dimension of extent one.
    fn array_like(&mut self, var: Var) -> Var {
        let ty = self.function.ty(var).array_of(&[Operand::i64(1)]);
        let array = self.function.fresh_like(var);
        self.function.vars[array].ty = ty;
        array
    }

    /// Returns a dimension of extent one.
    fn one_point(&mut self) -> SegDim {
        let index = self.function.fresh("z", Type::I64);
        SegDim { index, extent: Operand::i64(1), mapping: Mapping::Thread }
    }
}

/// The statements to insert at the start of a kernel's body.
struct Loads {
    stms: Vec<Stm>,
    /// The variables that stand for the scalars in it.
    substitution: Substitution,
    span: Span,
}
