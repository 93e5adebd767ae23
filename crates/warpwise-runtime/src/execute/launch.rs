//! Launches of kernels, and copies of whole arrays.

use smallvec::SmallVec;

use super::frame::Frame;
use super::held::Held;
use super::profile::Other;
use super::task::LaunchState;
use super::views::Reach;
use super::{Code, RunError};
use crate::copy::{Side, copy_strided};
use crate::machine::{Arg, BlockName, Copy, Launch, LaunchedArray, MemReg, Reg, Schedule, View};
use crate::pool;
use crate::pool::escape::Call;

/// Minimum number of simple operations, worth some microseconds, for which a second thread is woken. The compiler's pass `enclose`
/// relies on it.
const WORTH_SHARING: f64 = 20_000.0;

/// The same minimum for kernels with lanes. The factor is the least that lanes gain, so that it holds for gathers as well.
const WORTH_SHARING_IN_LANES: f64 = 8.0 * WORTH_SHARING;

/// Minimum number of simple operations in a part of a range.
const WORTH_CLAIMING: f64 = 50_000.0;

/// The same minimum for iterations of uneven cost, whose estimates may be far above the time that lanes take: ten to a hundred
/// microseconds, so that entering a part costs nothing.
const WORTH_CLAIMING_UNEVEN: f64 = 800_000.0;

/// Number of arguments of a launch that need no memory beyond the stack.
const FEW_ARGS: usize = 32;

/// Parts per worker for iterations of equal cost.
const PARTS_PER_WORKER: i64 = 16;

/// Runs a kernel over its range and raises the first failure.
pub(super) fn launch(frame: &Frame, launch: &Launch) -> Result<(), RunError> {
    let machine = frame.machine;
    let extent = frame.reg(launch.extent) as i64;
    if extent <= 0 {
        return Ok(());
    }
    launch.arrays.iter().try_for_each(|array| check_array(frame, launch, array))?;
    let kernels = match &machine.code {
        Code::Cpu(kernels) => kernels,
        Code::Device(device) => return super::offload::launch(frame, device, launch, extent as u64),
    };
    let (mut few, mut many) = ([0; FEW_ARGS], Vec::new());
    let args = match few.get_mut(..launch.args.len()) {
        Some(few) => few,
        None => {
            many.resize(launch.args.len(), 0);
            many.as_mut_slice()
        }
    };
    for (value, arg) in args.iter_mut().zip(&launch.args) {
        *value = match *arg {
            Arg::Reg(reg) => frame.reg(reg),
            Arg::Mem(mem) => frame.mem(mem)?.on_host()?.as_mut_ptr() as u64,
        };
    }
    let args = &*args;
    let kernel = kernels[launch.kernel as usize];
    let state = LaunchState::new(machine.threads.cancel_flag());
    let body = |lo: i64, hi: i64, worker: usize| {
        // SAFETY: the arguments match the kernel's parameter list, by translation; this frame holds the blocks they point to; the
        // context belongs to this worker.
        machine.workers.with_context(worker, &state, |context| unsafe {
            if !machine.threads.call(worker, Call { kernel, context, args, part: (lo, hi) }) {
                state.leave();
            }
        });
    };
    let (grain, schedule) = parts(launch, extent, frame.reg(launch.cost) as i64, machine.threads.threads());
    let run = || machine.threads.run(extent, grain, schedule, &body);
    machine.profile.kernel(launch.kernel, || given(frame, launch), run).map_err(|_| RunError::Interrupted)?;
    if state.was_left() {
        return Err(RunError::Interrupted);
    }
    let failed = state.into_failed();
    if let Some(error) = failed.out_of_memory {
        let kernel = &machine.module.kernels[launch.kernel as usize];
        let by = BlockName { array: kernel.name.clone(), place: kernel.place.clone() };
        return Err(frame.out_of_memory(error, by));
    }
    match failed.check {
        Some((_, check, values)) => Err(RunError::check(&machine.module.checks[check as usize], &values)),
        None => Ok(()),
    }
}

/// Fails unless an array that a kernel works on lies in its block.
fn check_array(frame: &Frame, launch: &Launch, array: &LaunchedArray) -> Result<(), RunError> {
    let LaunchedArray { elem, shape, view } = array;
    let at = |register: &Reg| frame.reg(*register) as i64;
    let dimensions = shape.iter().map(at).zip(view.strides.iter().map(at));
    let kernel =
        || format!("an array of the kernel `{}`", frame.machine.module.kernels[launch.kernel as usize].name);
    let reach = Reach { width: elem.bytes(), offset: at(&view.offset), dimensions };
    reach.check(kernel, frame.mem(view.mem)?.bytes())
}

/// Returns the total size in bytes of the blocks that a launch receives.
pub(super) fn given(frame: &Frame, launch: &Launch) -> u64 {
    let bytes = |arg: &Arg| match *arg {
        Arg::Reg(_) => 0,
        Arg::Mem(mem) => frame.mem(mem).map_or(0, |block| block.bytes()),
    };
    launch.args.iter().map(bytes).sum()
}

/// Returns the grain and the schedule for a range of this length and cost.
fn parts(launch: &Launch, extent: i64, cost: i64, threads: usize) -> (i64, pool::Schedule) {
    let align = launch.align.max(1);
    let aligned = |grain: i64| grain.max(1).saturating_add(align - 1) / align * align;
    let cost = cost.max(1) as f64;
    let worth = |operations: f64| (operations / cost).ceil() as i64;
    let worth_sharing = if align > 1 { WORTH_SHARING_IN_LANES } else { WORTH_SHARING };
    let alone = threads == 1 || cost * (extent as f64) < worth_sharing;
    match launch.schedule {
        Schedule::Ordered => (1, pool::Schedule::Ordered),
        Schedule::Sequential => (extent, pool::Schedule::Static),
        Schedule::Static | Schedule::Dynamic if alone => (aligned(extent), pool::Schedule::Static),
        Schedule::Static => {
            let share = extent / (threads as i64 * PARTS_PER_WORKER);
            (
                aligned(share.max(worth(WORTH_CLAIMING)).min(extent / threads as i64 + 1)),
                pool::Schedule::Static,
            )
        }
        Schedule::Dynamic => {
            let share = extent / (threads as i64 * PARTS_PER_WORKER);
            (aligned(worth(WORTH_CLAIMING_UNEVEN).min(share.max(1))), pool::Schedule::Dynamic)
        }
    }
}

/// Copies a whole array between views.
pub(super) fn copy(frame: &Frame, copy: &Copy) -> Result<(), RunError> {
    let registers = |registers: &[Reg]| -> SmallVec<[i64; 4]> {
        registers.iter().map(|&register| frame.reg(register) as i64).collect()
    };
    let (width, shape) = (copy.elem.bytes(), registers(&copy.shape));
    let (dst_strides, src_strides) = (registers(&copy.dst.strides), registers(&copy.src.strides));
    let (dst, src) = (
        side(frame, &copy.dst, width, &shape, &dst_strides)?,
        side(frame, &copy.src, width, &shape, &src_strides)?,
    );
    let machine = frame.machine;
    let bytes = || shape.iter().map(|&extent| extent.max(0) as u64).product::<u64>() * width as u64;
    // SAFETY: views lie within their blocks, as checked, and do not overlap by construction of index functions.
    let run = || unsafe { copy_strided(&machine.threads, width, &shape, dst, src) };
    machine.profile.other(Other::Copy, bytes, run).map_err(|_| RunError::Interrupted)
}

/// Returns one side of a copy. `width` is the size of an element in bytes. Fails if an element lies outside the block.
fn side<'s>(
    frame: &Frame,
    view: &View,
    width: usize,
    shape: &[i64],
    strides: &'s [i64],
) -> Result<Side<'s>, RunError> {
    let (block, offset) = (frame.mem(view.mem)?, frame.reg(view.offset) as i64);
    let dimensions = shape.iter().copied().zip(strides.iter().copied());
    Reach { width, offset, dimensions }.check(|| "a copy", block.bytes())?;
    Ok(Side { start: block.on_host()?.as_mut_ptr(), offset, strides })
}

/// Sets `count` elements, starting at `index`, to a value.
pub(super) fn fill(
    frame: &Frame,
    mem: MemReg,
    index: Reg,
    count: Reg,
    value: warpwise_prim::Scalar,
) -> Result<(), RunError> {
    let machine = frame.machine;
    let width = value.ty().bytes();
    let (index, count) = (frame.reg(index) as i64, frame.reg(count) as i64);
    let reach = Reach { width, offset: index, dimensions: std::iter::once((count, 1)) };
    reach.check(|| "a fill", frame.mem(mem)?.bytes())?;
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 {
        return Ok(());
    }
    let at = index as usize * width;
    let start = match frame.mem(mem)? {
        Held::Host(block) => block.as_mut_ptr().wrapping_add(at),
        Held::Device(block) => {
            let (pattern, bytes) = (&value.to_bits().to_le_bytes()[..width], (count * width) as u64);
            let run = || block.fill(at as u64, pattern, bytes);
            return machine.profile.other(Other::Fill, || bytes, run).map_err(RunError::device);
        }
    };
    // SAFETY: the range lies within the block, as checked.
    let run = || unsafe { crate::copy::fill(&machine.threads, start, width, value.to_bits(), count) };
    machine.profile.other(Other::Fill, || (count * width) as u64, run).map_err(|_| RunError::Interrupted)
}
