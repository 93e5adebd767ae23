//! The versions of Futhark's interface for C, as far as they contradict each other.

use std::str::FromStr;

/// Which interface a library has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Api {
    /// Of Futhark 0.25: an entry point that gives a tuple has a result for each part.
    V0_25,
    /// Of Futhark 0.26: an entry point has one result, which may be a tuple.
    #[default]
    V0_26,
}

impl FromStr for Api {
    type Err = String;

    fn from_str(text: &str) -> Result<Api, String> {
        match text {
            "0.25" => Ok(Api::V0_25),
            "0.26" => Ok(Api::V0_26),
            _ => Err("the interfaces known are 0.25 and 0.26".to_string()),
        }
    }
}
