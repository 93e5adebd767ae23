//! The CPU of this process and the width of its vectors.

use std::fmt;
use std::sync::OnceLock;

#[cfg(feature = "llvm")]
use inkwell::targets::TargetMachine;
use warpwise_imp::CpuTarget;

/// A vector width that is not supported, with the widest that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsupportedWidth {
    /// The requested width, in bits.
    pub asked: u32,
    /// The widest vectors of this CPU, in bits.
    pub widest: u32,
}

impl fmt::Display for UnsupportedWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "vector width {} is not supported: it can be 128, 256 or 512, at most {} on this CPU, or 1 for none",
            self.asked, self.widest
        )
    }
}

impl std::error::Error for UnsupportedWidth {}

/// Returns the CPU that this process runs on, with its widest vectors. The width is decided by features, not by the name:
/// emulators and virtual machines hide some.
pub fn detect_target() -> CpuTarget {
    static DETECTED: OnceLock<CpuTarget> = OnceLock::new();
    DETECTED
        .get_or_init(|| {
            let (name, features) = host();
            describe(name, features)
        })
        .clone()
}

/// Returns the name and the features of this CPU.
#[cfg(feature = "llvm")]
fn host() -> (String, String) {
    let name = TargetMachine::get_host_cpu_name().to_string();
    (name, TargetMachine::get_host_cpu_features().to_string())
}

/// Returns a generic name, since nothing is compiled for this CPU without LLVM.
#[cfg(not(feature = "llvm"))]
fn host() -> (String, String) {
    ("generic".to_string(), String::new())
}

/// Returns the CPU that this process runs on with vectors of another width; 1 bit means code without vectors.
pub fn target_with_width(bits: u32) -> Result<CpuTarget, UnsupportedWidth> {
    let detected = detect_target();
    if !matches!(bits, 1 | 128 | 256 | 512) || bits > detected.vector_bits {
        return Err(UnsupportedWidth { asked: bits, widest: detected.vector_bits });
    }
    Ok(CpuTarget { vector_bits: bits, ..detected })
}

/// Returns targets that together cover all processors of the last fifteen years, the best first: the levels of x86-64.
pub fn portable_targets() -> Vec<CpuTarget> {
    let second = "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+sahf";
    let third = format!("{second},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave");
    let fourth = format!("{third},+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl");
    [("x86-64-v4", fourth), ("x86-64-v3", third), ("x86-64-v2", second.to_string())]
        .map(|(name, features)| describe(name.to_string(), features))
        .into()
}

fn describe(name: String, features: String) -> CpuTarget {
    let plain = CpuTarget { name, features, ..CpuTarget::without_vectors() };
    let mask_registers = ["avx512f", "avx512bw", "avx512dq", "avx512vl"].iter().all(|f| plain.has(f));
    let vector_bits = match (mask_registers, plain.has("avx2") && plain.has("fma")) {
        (true, _) => 512,
        (false, true) => 256,
        (false, false) => 128,
    };
    let compress_narrow = mask_registers && plain.has("avx512vbmi2");
    CpuTarget { vector_bits, mask_registers, compress_narrow, ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_follows_features() {
        let bits = |features: &str| describe("any".into(), features.into()).vector_bits;
        assert_eq!(bits(""), 128);
        assert_eq!(bits("+avx2,+fma,-avx512f"), 256);
        assert_eq!(bits("+avx2,+fma,+avx512f"), 256, "without the byte and short-vector parts");
        assert_eq!(bits("+avx2,+fma,+avx512f,+avx512bw,+avx512dq,+avx512vl"), 512);
    }

    #[test]
    fn portable_code_has_vectors_of_each_width() {
        let widths: Vec<u32> = portable_targets().iter().map(|target| target.vector_bits).collect();
        assert_eq!(widths, [512, 256, 128]);
    }

    #[test]
    fn odd_widths_are_refused() {
        assert!(target_with_width(0).is_err());
        assert!(target_with_width(384).is_err());
        assert_eq!(target_with_width(1).map(|t| t.is_scalar()), Ok(true));
        assert_eq!(target_with_width(128).map(|t| t.vector_bits), Ok(128));
    }
}
