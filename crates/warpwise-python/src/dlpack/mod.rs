//! DLPack: tensors of other libraries, where they lie.
//!
//! NumPy takes tensors in the machine's own memory, and lends its own arrays. This module does the rest: it finds out where a tensor
//! lies, takes tensors on a CUDA device for a program that runs there ([`take`]), and lends arrays that stayed on such a device
//! ([`give`]). Neither direction copies. The protocol is described at <https://dmlc.github.io/dlpack/latest/>, its Python side in the
//! array API standard.

pub mod give;
pub mod take;
mod tensor;

use std::fmt;

use pyo3::prelude::*;
use warpwise_driver::Target;
use warpwise_gpu::kernel_text::Dialect;

/// The processor's own memory.
pub const PROCESSOR: Device = Device { kind: 1, number: 0 };

/// Kinds of memory that the processor reads: its own, and what CUDA and ROCm share with it.
const NEAR: [i32; 4] = [PROCESSOR.kind, 3, 11, 13];

const CUDA: i32 = 2;
const OPENCL: i32 = 4;

/// Names of kinds of devices, by DLPack's numbers.
const KINDS: [(i32, &str); 5] =
    [(CUDA, "CUDA"), (OPENCL, "OpenCL"), (8, "Metal"), (10, "ROCm"), (14, "oneAPI")];

/// A device whose memory holds tensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Device {
    /// Kind of device, by DLPack's numbers.
    pub kind: i32,
    /// Index among the devices of its kind.
    pub number: i32,
}

impl Device {
    /// Returns the device that holds the arrays of programs for `target`.
    pub fn of(target: Target) -> Device {
        match target {
            Target::Cpu => PROCESSOR,
            Target::Device(Dialect::Cuda, number) => Device { kind: CUDA, number: number as i32 },
            Target::Device(Dialect::OpenCl, number) => Device { kind: OPENCL, number: number as i32 },
        }
    }

    /// Returns the device of a tensor that the processor cannot read; `None` for any other object.
    pub fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<Option<Device>> {
        let Some(ask) = object.getattr_opt("__dlpack_device__")? else { return Ok(None) };
        let (kind, number): (i32, i32) = ask.call0()?.extract()?;
        Ok((!NEAR.contains(&kind)).then_some(Device { kind, number }))
    }

    /// Returns whether it is a CUDA device. CUDA addresses mean the same to all libraries in the process.
    pub fn is_cuda(self) -> bool {
        self.kind == CUDA
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match KINDS.iter().find(|(kind, _)| *kind == self.kind) {
            Some((_, name)) => write!(f, "{name}, number {}", self.number),
            None => write!(f, "kind {}, number {}", self.kind, self.number),
        }
    }
}
