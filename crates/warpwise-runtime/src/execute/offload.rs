//! Launches of kernels on a device.
//!
//! A kernel whose work-items need memory of their own gets an arena that is cut into equal slots; it runs as many work-items at a
//! time as there are slots. A work-item whose slot is too small records the size it wanted and stops. Then the slots grow and the
//! same iterations run again, which is correct for kernels that overwrite nothing they read. Other kernels get large slots from
//! the start, and fail if those do not suffice.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::RunError;
use super::frame::Frame;
use super::launch::given;
use crate::device::failure;
use crate::device::memory::{Access, DeviceBlock, DeviceMemory, NoBlock, Pin};
use crate::device::{Buffer, DeviceArgument, DeviceKernel, DeviceKernels, DeviceParam, Failures, LocalSize};
use crate::machine::{Arg, BlockName, Check, Launch};
use crate::memory::OutOfMemory;
use warpwise_prim::Scalar;

/// Initial size of a slot, in bytes.
const FIRST_SLOT: u64 = 4 << 10;

/// Maximum slot size, in bytes, that a kernel which cannot run again starts with.
const ONLY_SLOT: u64 = 1 << 20;

/// Granularity of slot sizes in bytes, so that the contents of slots are aligned for a device.
const SLOT_STEP: u64 = 64;

/// Reciprocal of the share of the memory that an arena may take, unless a single slot is larger.
const ARENA_SHARE: u64 = 4;

/// A program's kernels on a device, and the memory they use.
pub struct OnDevice {
    pub(super) memory: DeviceMemory,
    kernels: Arc<dyn DeviceKernels>,
    descriptions: Vec<DeviceKernel>,
    /// An unused failure buffer, kept between runs.
    failures: Mutex<Option<Arc<DeviceBlock>>>,
    /// Slot size of the arena in bytes, by kernel; 0 if it has not grown yet.
    slots: Vec<AtomicU64>,
}

/// The iterations of a launch, or of a part of it, and their slot size.
#[derive(Clone, Copy)]
struct Part {
    first: u64,
    end: u64,
    slot: u64,
}

impl OnDevice {
    /// Combines a program's kernels, in its order, with the memory of the device that they were built for.
    pub fn new(
        memory: DeviceMemory,
        kernels: Arc<dyn DeviceKernels>,
        descriptions: Vec<DeviceKernel>,
    ) -> OnDevice {
        let slots = descriptions.iter().map(|_| AtomicU64::new(0)).collect();
        OnDevice { memory, kernels, descriptions, failures: Mutex::default(), slots }
    }

    /// Returns a buffer without failures.
    pub(super) fn failure_buffer(&self, checks: &[Check]) -> Result<Arc<DeviceBlock>, NoBlock> {
        if let Some(kept) = self.failures.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(kept);
        }
        let buffer = self.memory.allocate(4 * failure::no_failure(checks).len() as u64)?;
        failure::clear(&buffer, checks)?;
        Ok(buffer)
    }

    /// Keeps a buffer without failures for the next run.
    pub(super) fn keep_failure_buffer(&self, buffer: Arc<DeviceBlock>) {
        *self.failures.lock().unwrap_or_else(PoisonError::into_inner) = Some(buffer);
    }
}

/// Runs a kernel over its range. Its failures are read later (see [`super::watch`]).
pub(super) fn launch(frame: &Frame, device: &OnDevice, launch: &Launch, extent: u64) -> Result<(), RunError> {
    let machine = frame.machine;
    if machine.threads.cancel_flag().is_set() {
        return Err(RunError::Interrupted);
    }
    if !machine.profile.is_on() {
        return run_parts(frame, device, launch, extent, &mut None);
    }
    let (start, mut time) = (Instant::now(), Some(Duration::ZERO));
    let done = run_parts(frame, device, launch, extent, &mut time);
    machine.profile.launched(launch.kernel, start, time.unwrap_or_default(), given(frame, launch));
    done
}

/// Runs a kernel in parts; adds its running time to `time` if that is requested.
fn run_parts(
    frame: &Frame,
    device: &OnDevice,
    launch: &Launch,
    extent: u64,
    time: &mut Option<Duration>,
) -> Result<(), RunError> {
    let number = launch.kernel as usize;
    let kernel = &device.descriptions[number];
    let (arguments, _pins) = arguments(frame, kernel, launch)?;
    let refused = |why: NoBlock| refused(frame, launch, why);
    if !kernel.arena {
        let part = Part { first: 0, end: extent, slot: 0 };
        return run_part(frame, device, number, (&arguments, part), None, time).map_err(refused);
    }
    let again = can_run_again(kernel, &arguments);
    let room = device.memory.limit() / ARENA_SHARE;
    let busy = extent.min(device.memory.device().concurrency()).max(1);
    let mut slot = device.slots[number].load(Ordering::Relaxed).max(FIRST_SLOT);
    if !again {
        slot = slot.max((room / busy).min(ONLY_SLOT) / SLOT_STEP * SLOT_STEP);
    }
    let mut first = 0;
    while first < extent {
        let at_once = (room / slot).clamp(1, busy);
        let arena = device.memory.allocate(at_once * slot).map_err(refused)?;
        let arena = arena.pin(Access::Write).map_err(refused)?;
        let part = Part { first, end: extent.min(first + at_once), slot };
        run_part(frame, device, number, (&arguments, part), Some(arena.buffer()), time).map_err(refused)?;
        let recorded = frame.watch.look(&frame.machine.module.checks).map_err(refused)?;
        match recorded.wanted {
            Some(wanted) if again && wanted <= device.memory.limit() => {
                slot = wanted.max(2 * slot).next_multiple_of(SLOT_STEP);
                device.slots[number].store(slot, Ordering::Relaxed);
            }
            Some(wanted) => return Err(refused(too_large(device, wanted))),
            None => {
                frame.machine.raise(recorded)?;
                first = part.end;
            }
        }
    }
    Ok(())
}

/// Runs a part of a launch.
fn run_part(
    frame: &Frame,
    device: &OnDevice,
    number: usize,
    (arguments, part): (&[DeviceArgument], Part),
    arena: Option<Buffer>,
    time: &mut Option<Duration>,
) -> Result<(), NoBlock> {
    let int = |value: u64| DeviceArgument::Scalar(Scalar::I64(value as i64));
    let mut arguments = arguments.to_vec();
    arguments.extend([int(part.first), int(part.end)]);
    let checks = &frame.machine.module.checks;
    let watched = match device.descriptions[number].failures {
        Failures::Ignored => None,
        heeds => Some(frame.watch.next(device, checks, heeds == Failures::Recorded)?),
    };
    if let Some((pin, turn)) = &watched {
        let turn = Scalar::I32(i32::from(*turn));
        arguments.extend([DeviceArgument::Memory(pin.buffer()), DeviceArgument::Scalar(turn)]);
    }
    if let Some(arena) = arena {
        arguments.extend([DeviceArgument::Memory(arena), int(part.slot)]);
    }
    for size in &device.descriptions[number].local {
        let array = local_array(*size, &arguments).ok_or_else(|| {
            NoBlock::Driver(format!(
                "a size in local memory of kernel `{}`",
                device.descriptions[number].name
            ))
        })?;
        arguments.push(array);
    }
    // SAFETY: the arguments match the kernel's parameter list, by translation; the frame holds the blocks.
    match time {
        None => unsafe { device.kernels.launch(number, &arguments, part.end - part.first) }?,
        // SAFETY: as above.
        Some(time) => {
            *time += unsafe { device.kernels.launch_timed(number, &arguments, part.end - part.first) }?;
        }
    }
    Ok(())
}

/// Returns the argument for an array in local memory. Drivers accept no empty arrays, so it has at least one element.
fn local_array(size: LocalSize, arguments: &[DeviceArgument]) -> Option<DeviceArgument> {
    let DeviceArgument::Scalar(count) = arguments.get(size.count)? else { return None };
    let bytes = u64::try_from(count.as_int()?).ok()?.checked_mul(size.element)?;
    Some(DeviceArgument::Local(bytes.max(size.element)))
}

/// Returns the arguments of a launch, and the pins that keep their blocks on the device.
fn arguments(
    frame: &Frame,
    kernel: &DeviceKernel,
    launch: &Launch,
) -> Result<(Vec<DeviceArgument>, Vec<Pin>), RunError> {
    let mut arguments = Vec::with_capacity(launch.args.len() + 5);
    let mut pins = Vec::new();
    for (arg, param) in launch.args.iter().zip(&kernel.params) {
        arguments.push(match (*arg, *param) {
            (Arg::Reg(reg), DeviceParam::Scalar(ty)) => {
                DeviceArgument::Scalar(Scalar::from_bits(ty, frame.reg(reg)))
            }
            (Arg::Mem(mem), DeviceParam::Memory { written, .. }) => {
                let access = if written { Access::Write } else { Access::Read };
                let pin =
                    frame.mem(mem)?.on_device()?.pin(access).map_err(|why| refused(frame, launch, why))?;
                let buffer = pin.buffer();
                pins.push(pin);
                DeviceArgument::Memory(buffer)
            }
            _ => return Err(RunError::Internal(format!("argument of wrong kind for `{}`", kernel.name))),
        });
    }
    Ok((arguments, pins))
}

/// Returns whether a kernel overwrites nothing that it reads.
fn can_run_again(kernel: &DeviceKernel, arguments: &[DeviceArgument]) -> bool {
    let memories = |wanted: fn(bool, bool) -> bool| -> Vec<DeviceArgument> {
        let params = kernel.params.iter().zip(arguments);
        let chosen = params.filter(|(param, _)| match **param {
            DeviceParam::Scalar(_) => false,
            DeviceParam::Memory { read, written } => wanted(read, written),
        });
        chosen.map(|(_, argument)| *argument).collect()
    };
    let written = memories(|_, written| written);
    !memories(|read, _| read).iter().any(|memory| written.contains(memory))
}

fn too_large(device: &OnDevice, wanted: u64) -> NoBlock {
    let statistics = device.memory.statistics();
    NoBlock::OutOfMemory(OutOfMemory {
        asked: wanted,
        live: statistics.live,
        held: statistics.held,
        limit: device.memory.limit(),
    })
}

/// Makes the error for a launch without memory, naming its kernel.
fn refused(frame: &Frame, launch: &Launch, why: NoBlock) -> RunError {
    match why {
        NoBlock::Driver(message) => RunError::Device(message),
        NoBlock::OutOfMemory(error) => {
            let kernel = &frame.machine.module.kernels[launch.kernel as usize];
            frame.out_of_memory(error, BlockName { array: kernel.name.clone(), place: kernel.place.clone() })
        }
    }
}
