//! What the lowering must know of the CPU it lowers for: how wide vectors are and what they can do.
//!
//! The description is plain data: the CPU back end detects it, tests invent it, and a cache takes
//! it as part of a key.

use serde::{Deserialize, Serialize};
use warpwise_prim::ScalarType;

/// A CPU to compile for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct CpuTarget {
    /// The processor's name as LLVM spells it (`znver4`, `x86-64-v3`).
    pub name: String,
    /// Features beyond the name's as LLVM spells them (`+avx2,-avx512f`); may be empty.
    pub features: String,
    /// Bits of one vector register to use: 512, 256 or 128; 1 for code without vectors.
    pub vector_bits: u32,
    /// Whether there are mask registers, so that masked loads and stores cost what plain ones do,
    /// and 32- and 64-bit lanes can be compressed in a register; and 32 vector registers instead of 16.
    pub mask_registers: bool,
    /// Whether 8- and 16-bit lanes can be compressed in a register.
    pub compress_narrow: bool,
}

impl CpuTarget {
    /// How many lanes of this type one vector register holds, at least 1; a `bool` counts as a byte.
    pub fn lanes(&self, ty: ScalarType) -> u16 {
        (self.vector_bits / (8 * ty.bytes() as u32)).max(1) as u16
    }

    /// No processor in particular, one element at a time.
    pub fn without_vectors() -> CpuTarget {
        let (name, features) = (String::new(), String::new());
        CpuTarget { name, features, vector_bits: 1, mask_registers: false, compress_narrow: false }
    }

    /// Whether the processor has what LLVM calls by this name.
    pub fn has(&self, feature: &str) -> bool {
        self.features.split(',').any(|f| f.strip_prefix('+') == Some(feature))
    }

    /// Bytes among which a core finds any one soon, so that many loads on their way hide what each waits: its own second-level
    /// cache, and the third-level one where few cores share it. Measured on Zen 4 (near) and on a Xeon of the server kind (far).
    pub fn near_bytes(&self) -> i64 {
        match self.name.starts_with("znver") {
            true => 16 << 20,
            false => 2 << 20,
        }
    }

    /// Whether code is to do one element after the other.
    pub fn is_scalar(&self) -> bool {
        self.vector_bits == 1
    }
}
