//! Definitions shared by the tests of lowering: programs without files, and the output of the host.

use warpwise_diag::{Failure, Sources};
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::host::compile::{Options, compile};
use warpwise_mexpr::host::device::HostOnly;
use warpwise_mexpr::host::machine::run;
use warpwise_mexpr::host::world::Listener;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// A provider without files.
struct Nothing;

impl SourceProvider for Nothing {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(vec![path.to_string()]))
    }
}

/// Checks a text and returns the program.
pub fn check(text: String) -> Result<Checked, Failure> {
    let root = SourceFile { key: "root".to_string(), name: "test.mc".to_string(), text };
    front_end(root, &Nothing, &mut Sources::new())
}

/// Returns the output of the host; `None` if the run fails.
pub fn on_host(checked: &Checked) -> Option<String> {
    let mut world = Listener::default();
    let result = run(&compile(checked, Options { tests: false }), &mut world, &mut HostOnly, &mut |_| {});
    result.ok().map(|_| world.printed)
}
