//! What the tests of lowering share: programs without files, a world that only listens, what the host prints.

use warpwise_diag::{Failure, Sources};
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::host::compile::{Options, compile};
use warpwise_mexpr::host::device::HostOnly;
use warpwise_mexpr::host::machine::run;
use warpwise_mexpr::host::world::World;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// No files.
struct Nothing;

impl SourceProvider for Nothing {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(vec![path.to_string()]))
    }
}

/// A world that only listens.
#[derive(Default)]
struct Ear(String);

impl World for Ear {
    fn print(&mut self, text: &str) -> Result<(), String> {
        self.0.push_str(text);
        Ok(())
    }
    fn print_error(&mut self, _text: &str) -> Result<(), String> {
        Ok(())
    }
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn read_line(&mut self) -> Result<Option<String>, String> {
        Ok(None)
    }
    fn read_bytes(&mut self, _count: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
    fn read_file(&mut self, path: &str) -> Result<String, String> {
        Err(path.to_string())
    }
    fn write_file(&mut self, path: &str, _text: &str) -> Result<(), String> {
        Err(path.to_string())
    }
    fn file_exists(&mut self, _path: &str) -> bool {
        false
    }
    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        Err(path.to_string())
    }
    fn command(&mut self, command: &str) -> Result<i64, String> {
        Err(command.to_string())
    }
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }
    fn time_ms(&self) -> f64 {
        1.0
    }
    fn sleep_ms(&self, _ms: u64) {}
}

/// The checked program of a text.
pub fn check(text: String) -> Result<Checked, Failure> {
    let root = SourceFile { key: "root".to_string(), name: "test.mc".to_string(), text };
    front_end(root, &Nothing, &mut Sources::new())
}

/// What the host prints; nothing if the run fails.
pub fn on_host(checked: &Checked) -> Option<String> {
    let mut ear = Ear::default();
    let result = run(&compile(checked, Options { tests: false }), &mut ear, &mut HostOnly, &mut |_| {});
    result.ok().map(|_| ear.0)
}
