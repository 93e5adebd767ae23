//! A compiled program as bytes in a data section.
//!
//! ```text
//! header    the features that the processor must have, as LLVM calls them
//! rest      the host's code and the entry points
//! ```
//!
//! The kernels' machine code is beside it, as object code. Image and reader are always of one build: nothing is versioned.

use serde::{Deserialize, Serialize};
use warpwise_runtime::machine::Module;

use crate::entry::Entry;

/// A compiled program but for its kernels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Image {
    /// Features of the processor that kernels use, of those that [`cpu`](crate::cpu) knows.
    pub features: Vec<String>,
    /// The rest.
    pub program: ImageProgram,
}

/// What runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImageProgram {
    /// Host code.
    pub module: Module,
    /// Entry points, in the order of the source.
    pub entries: Vec<Entry>,
}

impl Image {
    /// As bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|error| error.to_string())
    }
}

/// The features in the header of an image, and the bytes of the rest.
pub fn header(bytes: &[u8]) -> Result<(Vec<String>, &[u8]), String> {
    postcard::take_from_bytes(bytes).map_err(|error| damaged(&error))
}

/// The rest of an image.
pub fn program(bytes: &[u8]) -> Result<ImageProgram, String> {
    postcard::from_bytes(bytes).map_err(|error| damaged(&error))
}

fn damaged(error: &postcard::Error) -> String {
    format!("the program is damaged: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_read_in_two_parts() {
        let program = ImageProgram { module: Module::default(), entries: Vec::new() };
        let bytes = Image { features: vec!["avx2".into(), "fma".into()], program }.to_bytes().unwrap();
        let (features, rest) = header(&bytes).unwrap();
        assert_eq!(features, ["avx2", "fma"]);
        assert!(super::program(rest).unwrap().entries.is_empty());
        assert!(super::program(&rest[..rest.len() - 1]).is_err());
        assert!(header(&[]).is_err());
    }
}
