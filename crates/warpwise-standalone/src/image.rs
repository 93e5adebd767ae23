//! A compiled program as bytes in a data section.
//!
//! ```text
//! header    the features that the processor must have, as LLVM calls them
//! rest      the host's code and the entry points
//! ```
//!
//! The kernels' machine code is stored separately, as object code. Image and reader always belong to the same build, so there is no
//! version number.

use serde::{Deserialize, Serialize};
use warpwise_runtime::machine::Module;

use crate::entry::Entry;

/// A compiled program without its kernels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Image {
    /// Processor features that kernels use, among those that [`cpu`](crate::cpu) knows.
    pub features: Vec<String>,
    /// Host code and entry points.
    pub program: ImageProgram,
}

/// The executable part of an image.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImageProgram {
    /// Host code.
    pub module: Module,
    /// Entry points, in the order of the source.
    pub entries: Vec<Entry>,
}

impl Image {
    /// Encodes the image as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|error| error.to_string())
    }
}

/// Decodes the features in the header of an image. Also returns the bytes after the header.
pub fn header(bytes: &[u8]) -> Result<(Vec<String>, &[u8]), String> {
    postcard::take_from_bytes(bytes).map_err(|error| damaged(&error))
}

/// Decodes the part of an image after its header.
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
