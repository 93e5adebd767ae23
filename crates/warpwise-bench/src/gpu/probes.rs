//! A device's limits, measured in the same rounds as the programs: the bandwidth of a copy, and multiply-adds of floats.
//!
//! The bytes of a work, whatever its mix of reading and writing, are compared with those of a copy: by a kernel or by the driver,
//! whichever is faster.

use std::time::{Duration, Instant};

use libloading::Library;

use warpwise_driver::{Context, Dialect};
use warpwise_prim::Scalar;
use warpwise_runtime::device::memory::{Access, DeviceMemory};

use super::launches::{Argument, Array, Launches, Placed, Plan, Source, fetch};
use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::Limit;

/// The kernels, each with its text.
pub const PROBES: [Source; 2] = [
    ("probe_copy", include_str!("../../../../benchmarks/baselines/gpu/probe_copy.cu")),
    ("probe_multiply_add", include_str!("../../../../benchmarks/baselines/gpu/probe_multiply_add.cu")),
];

/// Size in bytes of the copied array: many times the size of caches.
const COPIED: f64 = (1u64 << 30) as f64;
/// Number of blocks that do multiply-adds: many times the number that a device runs at once.
const BLOCKS: f64 = 16_384.0;
/// Operations of a thread per round: eight chains of 32 multiply-adds.
const A_ROUND: f64 = 2.0 * 8.0 * 32.0;

/// A probe, with the amount that one run of it moves or computes.
pub struct Probe {
    pub amount: f64,
    pub peer: Box<dyn Peer>,
}

/// The resource that bounds a work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The bandwidth of copies.
    Copy,
    /// Multiply-adds of floats.
    Arithmetic,
}

impl Bound {
    /// Returns its name, and the unit of its rate, which is 10^9 per second.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Bound::Copy => ("copy", "GB/s"),
            Bound::Arithmetic => ("arithmetic", "GFLOP/s"),
        }
    }
}

/// Returns the resource that bounds a work, and the amount that the work needs: bytes moved, or operations.
pub fn need(limit: Limit) -> (Bound, f64) {
    match limit {
        Limit::Read(bytes) | Limit::Copy(bytes) | Limit::Triad(bytes) => (Bound::Copy, bytes),
        Limit::CopyAndRead(copied, read) => (Bound::Copy, copied + read),
        Limit::Operations(operations) => (Bound::Arithmetic, operations),
    }
}

impl Probe {
    /// Prepares the probes of a limit on a device.
    pub fn prepare(
        kind: Bound,
        scale: f64,
        context: &Context,
        device: (Dialect, usize),
    ) -> Result<Vec<Probe>, String> {
        let (source, plan, amount) = match kind {
            Bound::Copy => copy(scale),
            Bound::Arithmetic => multiply_add(scale),
        };
        let launches = Launches::prepare(source.0, source, plan, &[], context, device)?;
        let mut probes = vec![Probe { amount, peer: Box::new(launches) }];
        if kind == Bound::Copy && device.0 == Dialect::Cuda {
            probes.push(Probe { amount, peer: Box::new(DriverCopy::prepare(scale, context, device)?) });
        }
        Ok(probes)
    }
}

/// Returns the number of copied groups of four floats.
fn fours(scale: f64) -> usize {
    ((COPIED / 16.0 * scale) as usize).max(1000)
}

fn copy(scale: f64) -> (Source, Plan, f64) {
    let fours = fours(scale);
    let room = || Array::Room(Kind::F32, vec![4 * fours]);
    let count = Argument::Scalar(Scalar::I32(fours as i32));
    let launch = (fours.div_ceil(512) as u64, vec![count, Argument::Array(0), Argument::Array(1)]);
    let plan = Plan { arrays: vec![room(), room()], launches: vec![launch], results: vec![1] };
    (PROBES[0], plan, 32.0 * fours as f64)
}

fn multiply_add(scale: f64) -> (Source, Plan, f64) {
    let blocks = ((BLOCKS * scale) as usize).max(2);
    let rounds = if scale < 1.0 { 1 } else { 32 };
    let mut arguments = vec![Argument::Scalar(Scalar::I32(rounds))];
    arguments.extend([0.5, 0.25].map(|x| Argument::Scalar(Scalar::F32(x))));
    arguments.push(Argument::Array(0));
    let room = Array::Room(Kind::F32, vec![256 * blocks]);
    let plan = Plan { arrays: vec![room], launches: vec![(blocks as u64, arguments)], results: vec![0] };
    (PROBES[1], plan, A_ROUND * f64::from(rounds) * 256.0 * blocks as f64)
}

/// `cuMemcpyDtoD`: destination, source, number of bytes; returns 0, or an error number.
type Copy = unsafe extern "C" fn(u64, u64, usize) -> i32;

/// A copy from one array to another by CUDA's driver.
struct DriverCopy {
    driver: Library,
    memory: DeviceMemory,
    from: Placed,
    to: Placed,
}

impl DriverCopy {
    fn prepare(scale: f64, context: &Context, device: (Dialect, usize)) -> Result<DriverCopy, String> {
        // The names are tried in the order in which the driver is searched for.
        // SAFETY: the driver is already loaded, by the code that opened the device.
        let driver = unsafe { Library::new("libcuda.so").or_else(|_| Library::new("libcuda.so.1")) };
        let driver = driver.map_err(|error| error.to_string())?;
        let memory = context.device_memory(device.0, device.1).map_err(|error| error.to_string())?;
        let array = || Array::Room(Kind::F32, vec![4 * fours(scale)]).place(&[], &memory);
        let (from, to) = (array()?, array()?);
        Ok(DriverCopy { driver, memory, from, to })
    }
}

impl Peer for DriverCopy {
    fn name(&self) -> &str {
        "the driver's copy"
    }

    fn run(&mut self) -> Result<Duration, String> {
        let pin = |(block, ..): &Placed| block.pin(Access::Write).map_err(|error| error.to_string());
        let (from, to) = (pin(&self.from)?, pin(&self.to)?);
        // SAFETY: the driver's function has this type.
        let copy =
            unsafe { self.driver.get::<Copy>(b"cuMemcpyDtoD_v2\0") }.map_err(|error| error.to_string())?;
        self.memory.device().make_current().map_err(|error| error.to_string())?;
        let start = Instant::now();
        // SAFETY: both arrays have this length and stay in place.
        let error = unsafe { copy(to.buffer().0, from.buffer().0, self.from.0.bytes() as usize) };
        self.memory.device().finish().map_err(|error| error.to_string())?;
        let time = start.elapsed();
        if error == 0 { Ok(time) } else { Err(format!("error {error}")) }
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        Ok(vec![fetch(&self.to)?])
    }
}
