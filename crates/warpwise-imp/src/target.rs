//! The properties of the target CPU that the lowering depends on: the width of vectors and the operations they support.
//!
//! The description is plain data: the CPU back end detects it, tests make it up, and a cache uses it as part of a key.

use serde::{Deserialize, Serialize};
use warpwise_prim::ScalarType;

/// A CPU to compile for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct CpuTarget {
    /// Name of the processor in LLVM's spelling (`znver4`, `x86-64-v3`).
    pub name: String,
    /// Features beyond those of the name, in LLVM's spelling (`+avx2,-avx512f`); may be empty.
    pub features: String,
    /// Width of the vector registers to use, in bits: 512, 256 or 128; 1 for code without vectors.
    pub vector_bits: u32,
    /// Whether the processor has mask registers and 32 vector registers instead of 16. Masked loads and stores then cost as much
    /// as plain ones, and 32- and 64-bit lanes can be compressed in a register.
    pub mask_registers: bool,
    /// Whether 8- and 16-bit lanes can be compressed in a register.
    pub compress_narrow: bool,
}

impl CpuTarget {
    /// Returns the number of lanes of type `ty` in one vector register, at least 1; a `bool` counts as a byte.
    pub fn lanes(&self, ty: ScalarType) -> u16 {
        (self.vector_bits / (8 * ty.bytes() as u32)).max(1) as u16
    }

    /// Returns an unspecific target whose code computes one element at a time.
    pub fn without_vectors() -> CpuTarget {
        let (name, features) = (String::new(), String::new());
        CpuTarget { name, features, vector_bits: 1, mask_registers: false, compress_narrow: false }
    }

    /// Returns whether the processor has the feature of this LLVM name.
    pub fn has(&self, feature: &str) -> bool {
        self.features.split(',').any(|f| f.strip_prefix('+') == Some(feature))
    }

    /// Returns the size in bytes of the memory that a core reaches quickly, so that many loads in flight hide each other's
    /// latency: its own second-level cache, and the third-level one where few cores share it. Measured on Zen 4 (near) and on a
    /// server-class Xeon (far).
    pub fn near_bytes(&self) -> i64 {
        match self.name.starts_with("znver") {
            true => 16 << 20,
            false => 2 << 20,
        }
    }

    /// Returns whether code computes one element at a time.
    pub fn is_scalar(&self) -> bool {
        self.vector_bits == 1
    }
}
