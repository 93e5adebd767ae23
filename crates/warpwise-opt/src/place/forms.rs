//! Decides the form in which arrays come out of choices and loops: the existential index functions of papers/002, section 3.
//!
//! ```text
//! r: [m]f32 = if c { row = index a[i]; return row }      offset: i64, r: [m]f32 @ a_mem -> offset + {(m : 1)} = if c {
//!             else { row = index a[j]; return row }  ==>   at = mul i m; ...; return at, row
//!                                                        } else { at = mul j m; ...; return at, row }
//! ```
//!
//! The common components of two placements stay known. The components that differ are bound with the array: the block, the
//! offset, outer strides. Whether a value comes out in its own placement or as a copy is decided here, by cost:
//!
//! - A different offset costs readers of the array nothing, and different outer strides cost a multiplication per row: never
//!   copied.
//! - If the last dimension is not contiguous, readers of the array would gather, for the other side too, although they were
//!   scheduled for contiguous accesses. A copy, on this side alone, costs as much as one reader.
//! - An array that is needed row-major (see `needs`) is copied if it is not, since otherwise it would be copied later, for both
//!   sides.
//! - A row of an array that the body itself has made is copied: it is a fraction of the computed data, and would keep the whole
//!   array alive.
//! - Initial arrays of a loop whose iterations make other arrays are copied if they are not row-major: once, for all iterations.
//! - In kernels an array comes out of a choice in its own placement if the block is the same on both sides, or if neither block
//!   was allocated in the kernel, where blocks of lanes are interleaved. A loop in a kernel carries views of one block in their
//!   own placement. It copies all other arrays back, since arenas only grow. Blocks change from one iteration to the next in two
//!   cases: if sizes vary, so that there is no place to copy to; and if a loop only exchanges the kernel's own blocks that it
//!   begins with (an old row and a new one), equally often in all lanes.
//!
//! A block is identified by its *home*, the array that it was made for. Views have the home of the viewed array. If two homes are
//! equal here, so are the blocks.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::overwrites::Roots;
use warpwise_ir::{
    Body, Expr, Function, LoopForm, LoopParam, Operand, SegKind, SegOp, SliceDim, Stm, Var, exprs,
};
use warpwise_prim::Scalar;

use super::needs::Needs;
use super::orders::Orders;

/// The relevant facts about the placement of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The array that its block was made for.
    pub home: Var,
    /// Whether the array begins at the start of the block.
    pub at_start: bool,
    /// The strides of the array.
    pub strides: Strides,
}

/// The strides of an array, the most convenient first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strides {
    /// Row-major, without gaps.
    RowMajor,
    /// Contiguous in the last dimension.
    Neighbours,
    /// Arbitrary.
    Any,
}

/// The way in which a loop passes an array to the next iteration.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Handing {
    /// In its own placement, always in the block of the initial array.
    #[default]
    SameBlock,
    /// In its own placement, in any block.
    AnyBlock,
    /// Copied back to one place at the end of each iteration.
    Back,
}

/// The forms of the arrays of a function.
#[derive(Default)]
pub struct Forms {
    forms: SecondaryMap<Var, Option<Form>>,
    /// For the result of a choice, which sides copy it. For a parameter of a loop, whether iterations copy the next value.
    copied: SecondaryMap<Var, [bool; 2]>,
    /// For each parameter of a loop, how it is passed on.
    handing: SecondaryMap<Var, Handing>,
}

impl Form {
    fn fresh(array: Var) -> Form {
        Form { home: array, at_start: true, strides: Strides::RowMajor }
    }

    fn is_whole(&self) -> bool {
        self.at_start && self.strides == Strides::RowMajor
    }
}

impl Forms {
    /// Analyses every statement of a function.
    pub fn of(function: &Function, body: &Body, roots: &Roots, orders: &Orders) -> Forms {
        let needs = Needs::of(function, body, roots);
        let mut finder = Finder {
            function,
            roots,
            orders,
            needs,
            forms: Forms::default(),
            level: SecondaryMap::default(),
            depth: 0,
            kernel: None,
        };
        function.params.iter().for_each(|param| finder.set(param.var, Form::fresh(param.var)));
        finder.body(body);
        finder.forms
    }

    /// Returns the form of a parameter of a loop.
    pub fn form(&self, array: Var) -> Form {
        self.forms[array].unwrap_or(Form { home: array, at_start: false, strides: Strides::Any })
    }

    /// Notes that the first value of a parameter of a loop has been placed behind the start of its block: an array of a kernel may
    /// be made in a row of the kernel's results.
    pub fn begins_inside(&mut self, param: Var) {
        if let Some(form) = &mut self.forms[param] {
            form.at_start = false;
        }
    }

    /// Returns which sides of a choice copy this result.
    pub fn copying_sides(&self, array: Var) -> [bool; 2] {
        self.copied[array]
    }

    /// Whether the iterations of a loop copy the next value of this parameter.
    pub fn is_copied(&self, param: Var) -> bool {
        self.copied[param][1]
    }

    /// Returns how a loop passes on the value of this parameter.
    pub fn handing(&self, param: Var) -> Handing {
        self.handing[param]
    }
}

struct Finder<'f> {
    function: &'f Function,
    roots: &'f Roots,
    orders: &'f Orders,
    needs: Needs<'f>,
    forms: Forms,
    /// Number of bodies around the statement that binds each variable.
    level: SecondaryMap<Var, usize>,
    depth: usize,
    /// The depth of the bodies of the outermost enclosing segmented operation.
    kernel: Option<usize>,
}

impl Finder<'_> {
    fn set(&mut self, array: Var, form: Form) {
        if self.function.ty(array).rank() > 0 {
            self.level[array] = self.depth;
            self.forms.forms[array] = Some(form);
        }
    }

    fn form(&self, array: Var) -> Form {
        self.forms.form(array)
    }

    fn body(&mut self, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(stm));
    }

    /// Analyses a body. Returns the forms of its results.
    fn inner(&mut self, body: &Body) -> Vec<Option<Yielded>> {
        self.depth += 1;
        self.body(body);
        let yielded = body.result.iter().map(|&result| self.yielded(result)).collect();
        self.depth -= 1;
        yielded
    }

    /// Returns the form of a result of the current body, if it is an array.
    fn yielded(&self, result: Operand) -> Option<Yielded> {
        let rank = |array: Var| self.function.ty(array).rank();
        let array = result.as_var().filter(|&var| rank(var) > 0)?;
        let form = self.form(array);
        let is_row = self.level[form.home] >= self.depth && rank(array) < rank(form.home);
        Some(if is_row { Yielded::copy_of(array) } else { Yielded { form, copied: false } })
    }

    fn stm(&mut self, stm: &Stm) {
        stm.pattern.iter().for_each(|&var| self.level[var] = self.depth);
        stm.expr.for_each_binding(|var| self.level[var] = self.depth + 1);
        match &stm.expr {
            Expr::If { then_body, else_body, .. } => self.choice(&stm.pattern, then_body, else_body),
            Expr::Loop { params, form, body } => self.repetition(&stm.pattern, params, form, body),
            Expr::Seg(op) => self.seg_op(stm, op),
            exprs!(simple, soac) => {
                if let [array] = stm.pattern[..] {
                    self.set(array, self.simple(array, &stm.expr));
                } else {
                    stm.pattern.iter().for_each(|&array| self.set(array, Form::fresh(array)));
                }
            }
        }
    }

    /// Returns the form of the result of an expression without bodies.
    fn simple(&self, var: Var, expr: &Expr) -> Form {
        match expr {
            Expr::Operand(Operand::Var(array)) | Expr::Update { array, .. } => self.form(*array),
            Expr::Index { array, indices } => self.row(*array, indices),
            Expr::Slice { array, dims } => self.slice(*array, dims),
            Expr::Rearrange { array, perm } => {
                let of = self.form(*array);
                let keeps_neighbours = perm.last() == Some(&(perm.len() - 1));
                let strides = match of.strides {
                    same if perm.is_sorted() => same,
                    Strides::RowMajor | Strides::Neighbours if keeps_neighbours => Strides::Neighbours,
                    Strides::RowMajor | Strides::Neighbours | Strides::Any => Strides::Any,
                };
                Form { strides, ..of }
            }
            Expr::Reshape { array, .. } => {
                let of = self.form(*array);
                match (self.function.ty(*array).rank(), of.strides) {
                    (1, _) => of,
                    // A home of its own, because placement may not recognise the array as row-major, and copy it.
                    (_, Strides::RowMajor) => Form { home: var, ..of },
                    (_, Strides::Neighbours | Strides::Any) => Form::fresh(var),
                }
            }
            Expr::Manifest { perm, .. } if !perm.is_sorted() => {
                Form { strides: Strides::Any, ..Form::fresh(var) }
            }
            exprs!(Operand, scalar, Assert, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => Form::fresh(var),
        }
    }

    fn row(&self, array: Var, indices: &[Operand]) -> Form {
        let of = self.form(array);
        let strides = match of.strides {
            Strides::Neighbours if self.function.ty(array).rank() == indices.len() + 1 => Strides::RowMajor,
            same @ (Strides::RowMajor | Strides::Neighbours | Strides::Any) => same,
        };
        Form { at_start: of.at_start && indices.iter().all(is_zero), strides, ..of }
    }

    fn slice(&self, array: Var, dims: &[SliceDim]) -> Form {
        let of = self.form(array);
        let shape = self.function.ty(array).shape();
        let starts_at_zero = |dim: &SliceDim| match dim {
            SliceDim::Fix(start) | SliceDim::Range { start, .. } => is_zero(start),
        };
        let steps_by_one = |dim: &SliceDim| match dim {
            SliceDim::Fix(_) => false,
            SliceDim::Range { stride, .. } => *stride == Operand::i64(1),
        };
        let first = dims.iter().position(|dim| matches!(dim, SliceDim::Range { .. })).unwrap_or(0);
        let mut inner = dims.iter().zip(shape).skip(first + 1);
        let dense = steps_by_one(&dims[first]) && inner.all(|(dim, &size)| *dim == SliceDim::whole(size));
        let is_side_by_side = dims.last().is_some_and(steps_by_one) && of.strides != Strides::Any;
        let strides = match of.strides {
            Strides::RowMajor if dense => Strides::RowMajor,
            _ if is_side_by_side && first + 1 == dims.len() => Strides::RowMajor,
            _ if is_side_by_side => Strides::Neighbours,
            Strides::RowMajor | Strides::Neighbours | Strides::Any => Strides::Any,
        };
        Form { at_start: of.at_start && dims.iter().all(starts_at_zero), strides, ..of }
    }

    fn seg_op(&mut self, stm: &Stm, op: &SegOp) {
        let outer = self.kernel;
        self.kernel = outer.or(Some(self.depth + 1));
        stm.expr.for_each_body(|body| drop(self.inner(body)));
        self.kernel = outer;
        let overwritten: Vec<Var> = match &op.kind {
            SegKind::Scatter { dests } => dests.iter().map(|dest| dest.array).collect(),
            SegKind::Hist { ops } => ops.iter().flat_map(|op| op.dests.iter().copied()).collect(),
            SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {
                vec![]
            }
        };
        for (position, &array) in stm.pattern.iter().enumerate() {
            let form = match overwritten.get(position) {
                Some(&dest) => self.form(dest),
                None if self.orders.order(array).is_some() => {
                    Form { strides: Strides::Any, ..Form::fresh(array) }
                }
                None => Form::fresh(array),
            };
            self.set(array, form);
        }
    }

    fn choice(&mut self, pattern: &[Var], then_body: &Body, else_body: &Body) {
        let (then_forms, else_forms) = (self.inner(then_body), self.inner(else_body));
        for ((&array, x), y) in pattern.iter().zip(then_forms).zip(else_forms) {
            let (Some(x), Some(y)) = (x, y) else { continue };
            let need = self.needs.need(array);
            let mixes = self.mixes_blocks(x.form, y.form);
            let [x, y] = [x, y].map(|side| {
                let strides = side.form.strides;
                let is_as_needed = (!need.row_major || strides == Strides::RowMajor)
                    && (!need.at_start || side.form.is_whole());
                // In kernels, a fresh array may have been made in its place inside another array.
                if mixes || strides == Strides::Any || !is_as_needed { Yielded::copy_of(array) } else { side }
            });
            self.forms.copied[array] = [x.copied, y.copied];
            let same_home = x.form.home == y.form.home && !x.copied;
            let form = Form {
                home: if same_home { x.form.home } else { array },
                at_start: x.form.at_start && y.form.at_start,
                strides: x.form.strides.max(y.form.strides),
            };
            self.set(array, form);
        }
    }

    /// Whether a choice in a kernel would yield memory of the kernel on one side and other memory on the other.
    fn mixes_blocks(&self, x: Form, y: Form) -> bool {
        let is_inside = |form: Form| self.kernel.is_some_and(|kernel| self.level[form.home] >= kernel);
        x.home != y.home && (is_inside(x) || is_inside(y))
    }

    fn repetition(&mut self, pattern: &[Var], params: &[LoopParam], form: &LoopForm, body: &Body) {
        let arrays: Vec<usize> =
            (0..params.len()).filter(|&position| self.function.ty(pattern[position]).rank() > 0).collect();
        let carried: Vec<usize> = arrays
            .iter()
            .copied()
            .filter(|&position| !self.roots.is_in_place(&params[position], body.result[position]))
            .collect();
        let sizes_vary = carried.iter().any(|&position| self.size_varies(params[position].var, params));
        for &position in &arrays {
            let param = &params[position];
            if carried.contains(&position) {
                self.begin(param, self.forms.handing[param.var], self.forms.forms[param.var]);
            } else {
                self.set(param.var, self.initial(param));
            }
        }
        loop {
            let yielded = self.inner(body);
            let next: Vec<(&LoopParam, Yielded)> = carried
                .iter()
                .filter_map(|&position| Some((&params[position], yielded[position]?)))
                .collect();
            let blocks_change = sizes_vary || self.exchanges(form, &next);
            let mut changed = false;
            for (param, next) in next {
                changed |= self.hand_on(param, next, blocks_change);
            }
            if !changed {
                break;
            }
        }
        for &position in &arrays {
            let (var, param) = (pattern[position], params[position].var);
            let moves = carried.contains(&position) && self.forms.handing[param] == Handing::AnyBlock;
            let form = self.form(param);
            self.set(var, Form { home: if moves { var } else { form.home }, ..form });
        }
    }

    /// Whether a loop in a kernel only exchanges whole blocks of the kernel that it begins with, equally often in all lanes. Then
    /// each block serves one array in one iteration and another in the next, and no further blocks are needed.
    fn exchanges(&self, form: &LoopForm, next: &[(&LoopParam, Yielded)]) -> bool {
        let Some(kernel) = self.kernel else { return false };
        let is_outside = |var: Var| self.level[var] < kernel;
        let is_in_step = match form {
            LoopForm::For { bound, .. } => bound.as_var().is_none_or(is_outside),
            LoopForm::While { .. } => false,
        };
        let homes: Vec<Var> = next.iter().map(|(param, _)| self.form(param.var).home).collect();
        // A consumed array has no other owner, so it is in the kernel's own memory and not in the kernel's results.
        let is_one = |(param, next): &(&LoopParam, Yielded)| {
            param.consumed && !next.copied && next.form.is_whole() && homes.contains(&next.form.home)
        };
        is_in_step && !homes.iter().any(|&home| is_outside(home)) && next.iter().all(is_one)
    }

    fn size_varies(&self, array: Var, params: &[LoopParam]) -> bool {
        let shape = self.function.ty(array).shape();
        shape.iter().any(|size| params.iter().any(|param| *size == Operand::Var(param.var)))
    }

    fn initial(&self, param: &LoopParam) -> Form {
        param.init.as_var().map_or(Form::fresh(param.var), |init| self.form(init))
    }

    /// Gives a parameter its initial form. If a walk through an enclosing loop visits the loop again, it continues from the known
    /// form, so that the number of walks through a nest of loops is not exponential in its depth.
    fn begin(&mut self, param: &LoopParam, handing: Handing, known: Option<Form>) {
        let init = self.initial(param);
        let fresh = Form::fresh(param.var);
        let mut form = match handing {
            Handing::SameBlock if init.strides != Strides::Any => init,
            Handing::AnyBlock if self.kernel.is_none() && init.strides == Strides::RowMajor => {
                Form { home: param.var, ..init }
            }
            Handing::SameBlock | Handing::AnyBlock | Handing::Back => fresh,
        };
        if let Some(known) = known {
            form.at_start &= known.at_start;
            form.strides = form.strides.max(known.strides);
        }
        self.forms.handing[param.var] = handing;
        self.set(param.var, form);
        self.level[param.var] = self.depth + 1;
    }

    /// Joins the form of an iteration's result with the form of a parameter. Returns whether that changed anything.
    fn hand_on(&mut self, param: &LoopParam, next: Yielded, blocks_change: bool) -> bool {
        let (handing, known) = (self.forms.handing[param.var], self.form(param.var));
        let in_kernel = self.kernel.is_some();
        let has_home_of_its_own = handing == Handing::AnyBlock && in_kernel;
        let copied =
            next.copied || next.form.strides == Strides::Any || has_home_of_its_own && !next.form.is_whole();
        match handing {
            Handing::Back => return false,
            Handing::SameBlock if copied || next.form.home != known.home => {
                let handing = if in_kernel && !blocks_change { Handing::Back } else { Handing::AnyBlock };
                self.begin(param, handing, None);
                return true;
            }
            Handing::SameBlock | Handing::AnyBlock => {}
        }
        self.forms.copied[param.var][1] = copied;
        if copied {
            return false;
        }
        let at_start = known.at_start && next.form.at_start;
        let joined = Form { at_start, strides: known.strides.max(next.form.strides), ..known };
        self.forms.forms[param.var] = Some(joined);
        joined != known
    }
}

/// The form of an array that a body yields, and whether the array is a copy.
#[derive(Clone, Copy)]
struct Yielded {
    form: Form,
    copied: bool,
}

impl Yielded {
    fn copy_of(array: Var) -> Yielded {
        Yielded { form: Form::fresh(array), copied: true }
    }
}

fn is_zero(operand: &Operand) -> bool {
    operand.as_const().and_then(Scalar::as_int) == Some(0)
}
