//! The programs of the example `streams`, on small data.

use std::error::Error;
use std::path::Path;

use warpwise::Context;

use crate::contexts;

/// Defines one test per program, whose `check` compares sequences in memory and from files, and whole arrays, with plain loops.
macro_rules! programs {
    ($($name:ident $path:literal;)*) => { $(
        #[path = $path]
        #[allow(dead_code)]
        mod $name;
    )*

        mod checks {
            $(#[test]
            fn $name() {
                super::checked(stringify!($name), super::$name::check);
            })*
        }
    };
}

#[path = "../../examples/streams/files.rs"]
mod files;
#[path = "../../examples/streams/random.rs"]
mod random;

programs! {
    audio "../../examples/streams/audio.rs";
    clusters "../../examples/streams/clusters.rs";
    histogram "../../examples/streams/histogram.rs";
    matrices "../../examples/streams/matrices.rs";
    pages "../../examples/streams/pages.rs";
    words "../../examples/streams/words.rs";
}

/// Function that compares a program with plain loops; it gets a folder for files.
type Check = fn(&Context, &Path) -> Result<(), Box<dyn Error>>;

fn checked(name: &str, check: Check) {
    for (number, context) in contexts().iter().enumerate() {
        let folder = std::env::temp_dir().join(format!("warpwise-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let done = check(context, &folder);
        std::fs::remove_dir_all(&folder).unwrap();
        done.unwrap_or_else(|error| panic!("{name} on {context:?}: {error}"));
    }
}
