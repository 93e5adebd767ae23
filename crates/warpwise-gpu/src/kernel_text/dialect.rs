//! Differences between the languages that kernels are printed in.
//!
//! The printer writes C; the names of types and address spaces, and the few constructs that C lacks, come from here. A further
//! language is a further variant, and the compiler reports where it is missing.

use serde::{Deserialize, Serialize};
use warpwise_imp::Space;
use warpwise_prim::ScalarType;

use super::cuda;

/// A language for kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Dialect {
    /// OpenCL C 1.2, to be built with [`Dialect::build_options`].
    OpenCl,
    /// CUDA C, to be compiled by NVRTC with [`Dialect::build_options`].
    Cuda,
}

/// Features that a kernel needs beyond the core of its language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Features {
    /// Arithmetic on `f64`.
    pub f64: bool,
    /// Atomic operations on 64-bit words.
    pub wide_atomics: bool,
}

impl Dialect {
    /// Returns the name of such devices on the command line.
    pub fn device(self) -> &'static str {
        match self {
            Dialect::OpenCl => "opencl",
            Dialect::Cuda => "cuda",
        }
    }

    /// Returns the name of the language.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenCl => "OpenCL",
            Dialect::Cuda => "CUDA",
        }
    }

    /// Returns the options for the driver's compiler that select the language and make operators as exact as programs require.
    /// Further options of an OpenCL driver are added by the code that knows the driver.
    pub fn build_options(self) -> &'static str {
        match self {
            Dialect::OpenCl => "-cl-std=CL1.2",
            Dialect::Cuda => "--std=c++17 --fmad=false --prec-div=true --prec-sqrt=true --ftz=false",
        }
    }

    /// Returns the first lines of a text for kernels that need these features.
    pub fn prologue(self, features: Features) -> String {
        match self {
            Dialect::OpenCl => {
                let mut text = String::new();
                if features.f64 {
                    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
                }
                if features.wide_atomics {
                    text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
                }
                text + "#pragma OPENCL FP_CONTRACT OFF\n"
            }
            Dialect::Cuda => cuda::PROLOGUE.to_string(),
        }
    }

    /// Returns the type of a register. Integers are signed; an `f16` is kept as its bits, because not every device has arithmetic
    /// on it.
    pub(super) fn ty(self, ty: ScalarType) -> &'static str {
        match (self, ty) {
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::Bool) => "uchar",
            (Dialect::OpenCl, ScalarType::I8) => "char",
            (Dialect::Cuda, ScalarType::I8) => "signed char",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::I16) => "short",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::I32) => "int",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::I64) => "long",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::F16) => "ushort",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::F32) => "float",
            (Dialect::OpenCl | Dialect::Cuda, ScalarType::F64) => "double",
        }
    }

    /// Returns the unsigned integer type of a scalar type's width.
    pub(super) fn unsigned(self, ty: ScalarType) -> &'static str {
        match (self, ty.bytes()) {
            (Dialect::OpenCl | Dialect::Cuda, 1) => "uchar",
            (Dialect::OpenCl | Dialect::Cuda, 2) => "ushort",
            (Dialect::OpenCl | Dialect::Cuda, 4) => "uint",
            (Dialect::OpenCl | Dialect::Cuda, _) => "ulong",
        }
    }

    /// Returns the qualifier of a function that kernels call.
    pub(super) fn helper(self) -> &'static str {
        match self {
            Dialect::OpenCl => "static",
            Dialect::Cuda => "static __device__",
        }
    }

    /// Returns the qualifier of a function that is rarely called and should not be inlined into kernels.
    pub(super) fn rare_helper(self) -> &'static str {
        match self {
            Dialect::OpenCl => "static",
            Dialect::Cuda => "static __device__ __noinline__",
        }
    }

    /// Returns the number of work-items per group for kernels without a group size of their own.
    pub fn usual_group(self) -> u32 {
        match self {
            Dialect::OpenCl => 64,
            Dialect::Cuda => 128,
        }
    }

    /// Returns the qualifier of a kernel with groups of this size. It lets compilers use as many registers as are available to
    /// such a group.
    pub(super) fn kernel(self, group: u32) -> String {
        match self {
            Dialect::OpenCl => format!("__kernel __attribute__((reqd_work_group_size({group}, 1, 1)))"),
            Dialect::Cuda => format!("extern \"C\" __global__ __launch_bounds__({group})"),
        }
    }

    /// Returns the qualifier of a pointer into a space. Arenas lie in global memory.
    pub(super) fn space(self, space: Space) -> &'static str {
        match (self, space) {
            (Dialect::OpenCl, Space::Global | Space::Arena) => "__global",
            (Dialect::OpenCl, Space::Local) => "__local",
            // CUDA's pointers can point into any space.
            (Dialect::Cuda, Space::Global | Space::Arena | Space::Local) => "",
        }
    }

    /// Returns the qualifier of a pointer without aliases.
    pub(super) fn restrict(self) -> &'static str {
        match self {
            Dialect::OpenCl => "restrict",
            Dialect::Cuda => "__restrict__",
        }
    }

    /// Returns the expression for the number of the work-item.
    pub(super) fn work_item(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_global_id(0)",
            Dialect::Cuda => "((long)blockIdx.x * blockDim.x + threadIdx.x)",
        }
    }

    /// Returns the expression for the number of work-items of a launch.
    pub(super) fn work_items(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_global_size(0)",
            Dialect::Cuda => "((long)gridDim.x * blockDim.x)",
        }
    }

    /// Returns the expression for the number of the work-group.
    pub(super) fn group(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_group_id(0)",
            Dialect::Cuda => "(long)blockIdx.x",
        }
    }

    /// Returns the expression for the number of the work-item within its group.
    pub(super) fn work_item_of_group(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_local_id(0)",
            Dialect::Cuda => "threadIdx.x",
        }
    }

    /// Returns the qualifier of an array that a work-group shares.
    pub(super) fn local_array(self) -> &'static str {
        match self {
            Dialect::OpenCl => "__local",
            Dialect::Cuda => "__shared__",
        }
    }

    /// Returns the statement at which all work-items of a group meet.
    pub(super) fn barrier(self) -> &'static str {
        match self {
            Dialect::OpenCl => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
            Dialect::Cuda => "__syncthreads();",
        }
    }

    /// Returns the statement that makes the work-item's earlier writes to global memory visible before its later ones.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Dialect::OpenCl => "mem_fence(CLK_GLOBAL_MEM_FENCE);",
            Dialect::Cuda => "__threadfence();",
        }
    }

    /// Returns an expression that reads a word which others change meanwhile; `prefix` begins the names of the atomic functions
    /// for the word. OpenCL adds 0, because a sum of 64 bits does not need the extension for other operations.
    pub(super) fn peek(self, prefix: &str, place: &str) -> String {
        match self {
            Dialect::OpenCl => format!("{prefix}_add({place}, 0)"),
            Dialect::Cuda => format!("*({place})"),
        }
    }

    /// Returns an expression for the bits of `x` as another type of the same width, for conversions that are not casts of
    /// integers.
    pub(super) fn bits_as(self, to: ScalarType, x: &str) -> String {
        format!("as_{}({x})", self.ty(to))
    }
}
