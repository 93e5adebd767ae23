//! Features of the processor, by LLVM's names.

/// Defines the features that compiled code may need, by LLVM's name and by Rust's.
macro_rules! features {
    ($($llvm:literal $rust:tt,)*) => {
        /// The features that are checked before a program runs.
        pub const KNOWN: &[&str] = &[$($llvm),*];

        #[cfg(target_arch = "x86_64")]
        fn has(feature: &str) -> bool {
            match feature {
                $($llvm => std::is_x86_feature_detected!($rust),)*
                _ => false,
            }
        }
    };
}

features! {
    "sse3" "sse3",
    "ssse3" "ssse3",
    "sse4.1" "sse4.1",
    "sse4.2" "sse4.2",
    "popcnt" "popcnt",
    "cx16" "cmpxchg16b",
    "avx" "avx",
    "avx2" "avx2",
    "bmi" "bmi1",
    "bmi2" "bmi2",
    "f16c" "f16c",
    "fma" "fma",
    "lzcnt" "lzcnt",
    "movbe" "movbe",
    "avx512f" "avx512f",
    "avx512bw" "avx512bw",
    "avx512cd" "avx512cd",
    "avx512dq" "avx512dq",
    "avx512vl" "avx512vl",
    "avx512ifma" "avx512ifma",
    "avx512vbmi" "avx512vbmi",
    "avx512vbmi2" "avx512vbmi2",
    "avx512bitalg" "avx512bitalg",
    "avx512vnni" "avx512vnni",
    "avx512vpopcntdq" "avx512vpopcntdq",
    "avx512bf16" "avx512bf16",
    "avx512fp16" "avx512fp16",
    "avxvnni" "avxvnni",
    "avxifma" "avxifma",
    "gfni" "gfni",
    "vaes" "vaes",
    "vpclmulqdq" "vpclmulqdq",
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_: &str) -> bool {
    false
}

/// Returns the listed features that this processor lacks.
pub fn missing(features: &[String]) -> Vec<&str> {
    features.iter().map(String::as_str).filter(|feature| !has(feature)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_missing() {
        assert_eq!(missing(&["avx9000".to_string()]), ["avx9000"]);
        assert!(missing(&[]).is_empty());
    }
}
