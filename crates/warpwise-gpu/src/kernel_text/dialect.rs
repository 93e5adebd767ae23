//! What differs between the languages that kernels are printed in.
//!
//! The printer writes C; names of types, address spaces and the few things that C does not have are
//! asked for here. A further language is a further variant, and the compiler says where it is missing.

use serde::{Deserialize, Serialize};
use warpwise_imp::Space;
use warpwise_prim::ScalarType;

use super::cuda;

/// A language for kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Dialect {
    /// OpenCL C 1.2. Programs are to be built with [`Dialect::build_options`].
    OpenCl,
    /// CUDA C, as NVRTC compiles it with [`Dialect::build_options`].
    Cuda,
}

/// What a kernel needs beyond the core of its language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Features {
    /// Arithmetic on `f64`.
    pub f64: bool,
    /// Atomic operations on 64-bit words.
    pub wide_atomics: bool,
}

impl Dialect {
    /// As devices that take it are named on the command line.
    pub fn device(self) -> &'static str {
        match self {
            Dialect::OpenCl => "opencl",
            Dialect::Cuda => "cuda",
        }
    }

    /// The language's name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenCl => "OpenCL",
            Dialect::Cuda => "CUDA",
        }
    }

    /// Options for the driver's compiler without which it takes another language, or operators are less exact than the
    /// programs want them. Which more an OpenCL driver takes is known where it is.
    pub fn build_options(self) -> &'static str {
        match self {
            Dialect::OpenCl => "-cl-std=CL1.2",
            Dialect::Cuda => "--std=c++17 --fmad=false --prec-div=true --prec-sqrt=true --ftz=false",
        }
    }

    /// The first lines of a text for kernels that need these features.
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

    /// The type of a register. Integers are signed; an `f16` is kept as its bits, because not every
    /// device has arithmetic on it.
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

    /// The unsigned integer type as wide as a scalar type.
    pub(super) fn unsigned(self, ty: ScalarType) -> &'static str {
        match (self, ty.bytes()) {
            (Dialect::OpenCl | Dialect::Cuda, 1) => "uchar",
            (Dialect::OpenCl | Dialect::Cuda, 2) => "ushort",
            (Dialect::OpenCl | Dialect::Cuda, 4) => "uint",
            (Dialect::OpenCl | Dialect::Cuda, _) => "ulong",
        }
    }

    /// What marks a function that is called by kernels.
    pub(super) fn helper(self) -> &'static str {
        match self {
            Dialect::OpenCl => "static",
            Dialect::Cuda => "static __device__",
        }
    }

    /// What marks a function that is called hardly ever, and should not be in every kernel's way.
    pub(super) fn rare_helper(self) -> &'static str {
        match self {
            Dialect::OpenCl => "static",
            Dialect::Cuda => "static __device__ __noinline__",
        }
    }

    /// Work-items of a group of kernels to which that does not matter.
    pub fn usual_group(self) -> u32 {
        match self {
            Dialect::OpenCl => 64,
            Dialect::Cuda => 128,
        }
    }

    /// What marks a kernel of groups of this size. Compilers then use as many registers as such a group has, and no more.
    pub(super) fn kernel(self, group: u32) -> String {
        match self {
            Dialect::OpenCl => format!("__kernel __attribute__((reqd_work_group_size({group}, 1, 1)))"),
            Dialect::Cuda => format!("extern \"C\" __global__ __launch_bounds__({group})"),
        }
    }

    /// What marks a pointer into a space. Arenas lie in global memory.
    pub(super) fn space(self, space: Space) -> &'static str {
        match (self, space) {
            (Dialect::OpenCl, Space::Global | Space::Arena) => "__global",
            (Dialect::OpenCl, Space::Local) => "__local",
            // Pointers of CUDA lead anywhere.
            (Dialect::Cuda, Space::Global | Space::Arena | Space::Local) => "",
        }
    }

    /// What marks a pointer that others do not alias.
    pub(super) fn restrict(self) -> &'static str {
        match self {
            Dialect::OpenCl => "restrict",
            Dialect::Cuda => "__restrict__",
        }
    }

    /// The number of the work-item.
    pub(super) fn work_item(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_global_id(0)",
            Dialect::Cuda => "((long)blockIdx.x * blockDim.x + threadIdx.x)",
        }
    }

    /// How many work-items a launch has.
    pub(super) fn work_items(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_global_size(0)",
            Dialect::Cuda => "((long)gridDim.x * blockDim.x)",
        }
    }

    /// The number of the work-group.
    pub(super) fn group(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_group_id(0)",
            Dialect::Cuda => "(long)blockIdx.x",
        }
    }

    /// The number of the work-item within its group.
    pub(super) fn work_item_of_group(self) -> &'static str {
        match self {
            Dialect::OpenCl => "get_local_id(0)",
            Dialect::Cuda => "threadIdx.x",
        }
    }

    /// What marks the declaration of an array that a work-group shares.
    pub(super) fn local_array(self) -> &'static str {
        match self {
            Dialect::OpenCl => "__local",
            Dialect::Cuda => "__shared__",
        }
    }

    /// The statement at which all work-items of a group meet.
    pub(super) fn barrier(self) -> &'static str {
        match self {
            Dialect::OpenCl => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
            Dialect::Cuda => "__syncthreads();",
        }
    }

    /// The statement after which the work-item's writes to global memory are seen before those that follow.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Dialect::OpenCl => "mem_fence(CLK_GLOBAL_MEM_FENCE);",
            Dialect::Cuda => "__threadfence();",
        }
    }

    /// A word that others change meanwhile, by functions whose names begin so. A sum is what OpenCL has for 64 bits, too, without
    /// the extension for other operations.
    pub(super) fn peek(self, prefix: &str, place: &str) -> String {
        match self {
            Dialect::OpenCl => format!("{prefix}_add({place}, 0)"),
            Dialect::Cuda => format!("*({place})"),
        }
    }

    /// The bits of one type as another of the same width, where that is no cast of integers.
    pub(super) fn bits_as(self, to: ScalarType, x: &str) -> String {
        format!("as_{}({x})", self.ty(to))
    }
}
