//! Writing back the parts of buffers that the iterations of a parallel loop yield.
//!
//! ```text
//! loop n (lam i. loop k (lam j. tensorSetExn m [addi i 1, j] x))
//! ==>
//! c: cert = assert ... ("Index [...] out of bounds ...")                        the window is inside of `m`
//! rows: [n][k]f64 = screma n (is) map (i: i64) { ... };
//! m_1: [a][b]f64 = {c} update m[1:n:1, 0:k:1] = rows
//! ```
//! The check comes before the map, so that later passes may let the map write where the window is. If not all iterations write, the
//! window is restricted to the inside of the buffer instead, and [`super::outside`] checks the other iterations.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Expr as Ir, Lambda, Operand, SliceDim, Var};
use warpwise_prim::BinaryOp;

use super::Lowerer;
use super::memory::{Clamped, Contents, Part, Slot};
use super::parallel::{Left, Mode};
use super::value::Value;

/// The window that a loop will write into an array.
enum Window {
    /// The window lies inside, under this certificate if it is not obvious.
    Inside(Option<Var>),
    /// Whether the window is outside. Only the loop's own checks know the message, because they are about views.
    OfViews(Operand),
}

impl Lowerer<'_, '_> {
    /// Binds the map of a parallel loop, with the checks that belong to it, and writes what its iterations yield. `clamped` are the
    /// ranges that inner loops and this one restrict to the inside of buffers.
    pub(super) fn put_all_back(
        &mut self,
        width: Operand,
        f: &Value,
        modes: &[(usize, Mode)],
        (map, left): (Lambda, Vec<Left>),
        clamped: (Vec<Clamped>, Vec<Clamped>),
        span: Span,
    ) -> Result<(), Failure> {
        // The windows are checked before the map, so that it may write them where they belong.
        let windows = modes.iter().zip(&left).map(|(mode, left)| self.window(mode, left, width));
        let windows: Vec<Window> = windows.collect();
        let of_views = |((buffer, _), window): (&(usize, Mode), &Window)| match window {
            Window::OfViews(outside) => Some((*buffer, *outside)),
            Window::Inside(_) => None,
        };
        let views: Vec<(usize, Operand)> = modes.iter().zip(&windows).filter_map(of_views).collect();
        let (mut arrays, passed);
        if views.is_empty() {
            // The loop's own failures come first.
            arrays = self.bind_checked("rows", width, map).into_iter();
            passed = self.check_outside(width, f, modes, clamped, views, span)?;
        } else {
            passed = self.check_outside(width, f, modes, clamped, views, span)?;
            arrays = self.bind_checked("rows", width, map).into_iter();
        }
        for (((buffer, mode), left), window) in modes.iter().zip(left).zip(windows) {
            let cert = match window {
                Window::Inside(cert) => cert,
                Window::OfViews(_) => passed,
            };
            self.put_back(*buffer, mode, width, left, cert, &mut arrays);
        }
        Ok(())
    }

    /// Returns the range that is restricted to the inside of a buffer before it is written back.
    pub(super) fn clamps(
        &self,
        (buffer, mode): &(usize, Mode),
        left: &Left,
        width: Operand,
    ) -> Option<Clamped> {
        let (Left::Window(parts), &Mode::Owned { dim, start, .. }) = (left, mode) else { return None };
        let extent = self.memory.buffers[*buffer].extents[dim];
        let range = Some([start, width, extent]);
        mode.needs_clamping(parts.len()).then_some(Clamped { buffer: *buffer, range })
    }

    /// Checks the window that all iterations will yield, if it is to be written into an array.
    fn window(&mut self, (buffer, mode): &(usize, Mode), left: &Left, width: Operand) -> Window {
        let (Left::Window(parts), Mode::Owned { dim, start, witness, .. }) = (left, mode) else {
            return Window::Inside(None);
        };
        let it = self.memory.buffers[*buffer].clone();
        if mode.needs_clamping(parts.len()) || !matches!(it.contents, Contents::Array(_)) {
            return Window::Inside(None);
        }
        let own = Part { dim: *dim, start: *start, len: width, is_clamped: false };
        let parts: Vec<Part> = parts.iter().copied().chain([own]).collect();
        let free = it.free().into_iter();
        let rest = free.filter(|dim| parts.iter().all(|part| part.dim != *dim));
        let rest = rest.map(|dim| Some((dim, witness.index[dim]?))).collect::<Option<Vec<_>>>();
        let Some(rest) = rest.filter(|_| witness.is_plain) else {
            let outside = self.first_outside(&it, &parts);
            return outside.map_or(Window::Inside(None), |(outside, _)| Window::OfViews(outside));
        };
        let before = self.b.span();
        self.b.set_span(witness.span);
        let cert = self.check_parts(&it, &parts, &rest);
        self.b.set_span(before);
        Window::Inside(cert)
    }

    /// Writes the parts that all iterations yield back into a buffer.
    fn put_back(
        &mut self,
        buffer: usize,
        mode: &Mode,
        width: Operand,
        left: Left,
        cert: Option<Var>,
        arrays: &mut impl Iterator<Item = Var>,
    ) {
        match (left, mode) {
            (Left::Nothing, _) => {}
            (Left::Window(mut parts), &Mode::Owned { dim, start, .. }) => {
                let Some(mut values) = arrays.next() else { return };
                let mut part = Part { dim, start, len: width, is_clamped: false };
                if mode.needs_clamping(parts.len()) {
                    (part, values) = self.part_inside(buffer, part, values);
                }
                parts.push(part);
                let free = self.memory.buffers[buffer].free();
                let values =
                    self.outermost_to(values, free.iter().position(|free| *free == dim).unwrap_or(0));
                self.overwrite(buffer, parts, values, cert);
            }
            (Left::Slots(slots), _) => slots.into_iter().for_each(|slot| {
                let leaves = slot.leaves.iter().filter_map(|_| arrays.next()).map(Operand::from).collect();
                let extents = std::iter::once(width).chain(slot.extents).collect();
                self.put_slot(buffer, Slot { extents, leaves });
            }),
            (Left::Window(_), Mode::Scattered) => {}
        }
    }

    /// Restricts a part to the inside of the buffer; returns it with its values.
    fn part_inside(&mut self, buffer: usize, part: Part, values: Var) -> (Part, Var) {
        let (zero, extent) = (Operand::i64(0), self.memory.buffers[buffer].extents[part.dim]);
        let start = self.b.binary("from", BinaryOp::SMax, part.start, zero);
        let end = self.sum(part.start, part.len);
        let end = self.b.binary("to", BinaryOp::SMin, end, extent);
        let len = self.b.binary("len", BinaryOp::Sub, end, start);
        let len = self.b.binary("len", BinaryOp::SMax, len, zero);
        let skipped = self.b.binary("skipped", BinaryOp::Sub, start, part.start);
        let shape = self.b.function.ty(values).shape()[1..].to_vec();
        let first = SliceDim::Range { start: skipped, len, stride: Operand::i64(1) };
        let dims = std::iter::once(first).chain(shape.into_iter().map(SliceDim::whole)).collect();
        let values = self.b.slice("inside", values, dims);
        (Part { start, len, is_clamped: true, ..part }, values)
    }

    /// Moves the outermost dimension of an array inwards.
    fn outermost_to(&mut self, array: Var, position: usize) -> Var {
        if position == 0 {
            return array;
        }
        let rank = self.b.function.ty(array).rank();
        let inner = 1..rank;
        let mut perm: Vec<usize> = inner.collect();
        perm.insert(position, 0);
        self.b.bind_one("rows", Ir::Rearrange { array, perm })
    }

    /// Overwrites parts of a buffer whose contents are an array or as before the loop.
    fn overwrite(&mut self, buffer: usize, parts: Vec<Part>, values: Var, cert: Option<Var>) {
        let it = self.memory.buffers[buffer].clone();
        let contents = match it.contents {
            Contents::Array(array) => {
                let array = self.overwritten(&it, array, &parts, values, cert);
                Contents::Array(array)
            }
            Contents::Base | Contents::Window(..) | Contents::Scalar(_) | Contents::Pending(_) => {
                Contents::Window(parts, values)
            }
        };
        self.memory.written.insert(buffer);
        self.memory.buffers[buffer].contents = contents;
    }
}
