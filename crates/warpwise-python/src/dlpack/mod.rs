//! DLPack: tensors of other libraries, where they lie.
//!
//! NumPy takes those that lie in the machine's own memory, and lends its own arrays. What is done here is the rest: to tell where a tensor
//! lies, to take one of a CUDA device for a program that runs there ([`take`]), and to lend arrays that stayed on one ([`give`]). Neither
//! copies anything. The protocol: <https://dmlc.github.io/dlpack/latest/>, and of its Python side the array API standard.

pub mod give;
pub mod take;
mod tensor;

use std::fmt;

use pyo3::prelude::*;
use warpwise_driver::Target;
use warpwise_gpu::kernel_text::Dialect;

/// The processor's own memory.
pub const PROCESSOR: Device = Device { kind: 1, number: 0 };

/// Places that the processor reads: its own memory, and what CUDA and ROCm share with it.
const NEAR: [i32; 4] = [PROCESSOR.kind, 3, 11, 13];

const CUDA: i32 = 2;
const OPENCL: i32 = 4;

/// What kinds of places are called, by DLPack's numbers.
const KINDS: [(i32, &str); 5] =
    [(CUDA, "CUDA"), (OPENCL, "OpenCL"), (8, "Metal"), (10, "ROCm"), (14, "oneAPI")];

/// A place where tensors lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Device {
    /// What kind of place.
    pub kind: i32,
    /// Which of its kind.
    pub number: i32,
}

impl Device {
    /// Where the arrays of programs on a device lie.
    pub fn of(target: Target) -> Device {
        match target {
            Target::Cpu => PROCESSOR,
            Target::Device(Dialect::Cuda, number) => Device { kind: CUDA, number: number as i32 },
            Target::Device(Dialect::OpenCl, number) => Device { kind: OPENCL, number: number as i32 },
        }
    }

    /// Where a tensor lies that the processor does not read.
    pub fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<Option<Device>> {
        let Some(ask) = object.getattr_opt("__dlpack_device__")? else { return Ok(None) };
        let (kind, number): (i32, i32) = ask.call0()?.extract()?;
        Ok((!NEAR.contains(&kind)).then_some(Device { kind, number }))
    }

    /// Whether it is a CUDA device, whose memory has addresses that mean the same to everybody in the process.
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
