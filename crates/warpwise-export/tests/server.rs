//! Servers: their answers, and signals.

use std::ffi::c_int;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use warpwise_driver::Options;
use warpwise_driver::build::build_standalone;
use warpwise_export::{Form, export};

/// A running server and its folder.
struct Server {
    folder: TempDir,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(options: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server.fut");
        let built = build_standalone(&source, &Options::default(), false);
        let built = built.unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("server");
        export(&built.program, Form::Server, &path).unwrap();
        let mut command = Command::new(&path);
        command.args(options).current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut server = Server { folder, process, input, output: BufReader::new(output) };
        assert_eq!(server.answer(), "");
        server
    }

    fn send(&mut self, command: &str) {
        writeln!(self.input, "{command}").unwrap();
    }

    /// Reads the lines up to the end of an answer, without run times.
    fn answer(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended after: {text}");
            match line.trim_end() {
                "%%% OK" => return text,
                line if line.starts_with("runtime: ") => {}
                line => text += &format!("{line}\n"),
            }
        }
    }

    #[track_caller]
    fn gives(&mut self, command: &str, answer: &str) {
        self.send(command);
        let found = self.answer();
        let expected = if answer.is_empty() { String::new() } else { format!("{answer}\n") };
        assert_eq!(found, expected, "{command}");
    }

    #[track_caller]
    fn fails(&mut self, command: &str, fragment: &str) {
        self.send(command);
        let found = self.answer();
        assert!(found.starts_with("%%% FAILURE\n") && found.contains(fragment), "{command}: {found}");
    }

    fn signal(&self, signal: c_int) {
        // SAFETY: the process is our child and has not been waited for.
        unsafe { libc::kill(self.process.id() as libc::pid_t, signal) };
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Ends the input, and expects success.
    fn end(self) {
        let Server { folder: _folder, mut process, input, output: _output } = self;
        drop(input);
        assert!(process.wait().unwrap().success());
    }
}

#[test]
fn results_have_stars_and_names() {
    let mut server = Server::start(&[]);
    server.gives("inputs inc", "*[]i64");
    server.gives("output inc", "*[]i64");
    server.gives("outputs apart", "*[]i64\nbool");
    server.gives("output apart", "*([]i64, bool)");
    server.gives("output named", "pair");
    server.gives("outputs named", "pair");
    std::fs::write(server.path("x"), "5i64").unwrap();
    server.gives("restore x x i64", "");
    server.gives("call named both x", "");
    server.gives("type both", "pair");
    server.gives("call apart xs some x", "");
    server.gives("type xs", "[]i64");
    server.gives("fields pair", "0 i64\n1 bool");
    server.end();
}

#[test]
fn failed_calls_keep_what_they_have_not_used_up() {
    let mut server = Server::start(&[]);
    std::fs::write(server.path("values"), "[1i64, 2i64, 3i64] 9i64").unwrap();
    server.gives("restore values xs []i64 far i64", "");
    server.fails("call put ys xs far", "Index [9] out of bounds");
    server.fails("call put ys xs", "2 inputs expected, but 1 given.");
    server.gives("index first xs 0", "");
    server.fails("call spoil ys xs", "out of bounds");
    server.fails("index second xs 1", "the value is lost: a call of `spoil`");
    server.fails("call inc ys xs", "argument 1 (`xs`): the value is lost");
    server.gives("free xs", "");
    server.gives("restore values xs []i64 near i64", "");
    server.gives("call inc ys xs", "");
    server.fails("shape nothing", "Unknown variable: nothing");
    server.fails("store file xs", "the value was consumed by a call of `inc`");
    server.end();
}

#[test]
fn every_line_has_an_answer() {
    let mut server = Server::start(&["--param", "limit=3"]);
    server.fails("", "Empty line");
    server.fails("   ", "Empty line");
    server.fails("nonsense", "nonsense");
    std::fs::write(server.path("x"), "5i64").unwrap();
    server.gives("restore x x i64", "");
    server.gives("tuning_params tuned", "limit threshold");
    server.gives("call tuned a x", "");
    server.gives("set_tuning_param limit 100", "");
    server.gives("call tuned b x", "");
    server.gives("store results a b", "");
    server.fails("set_tuning_param other 1", "there is no such parameter");
    server.fails("set_tuning_param limit much", "the value is no integer");
    let results = std::fs::read(server.path("results")).unwrap();
    let scalar = |value: i64| [b"b\x02\x00 i64".as_slice(), &value.to_le_bytes()].concat();
    assert_eq!(results, [scalar(8), scalar(105)].concat());
    server.end();
}

#[test]
fn reports_have_an_event_for_each_step() {
    let mut server = Server::start(&["-P"]);
    std::fs::write(server.path("n"), "1000i64").unwrap();
    server.gives("restore n n i64", "");
    server.gives("call points a n", "");
    let mut report = || {
        server.send("report");
        serde_json::from_str::<serde_json::Value>(&server.answer()).unwrap()
    };
    let first = report();
    assert!(first["memory"]["default space"].as_u64().unwrap() >= 8000, "{first}");
    let event = &first["events"][0];
    assert!(event["name"].is_string() && event["duration"].is_f64(), "{first}");
    assert!(event["provenance"].as_str().unwrap().contains("server.fut:"), "{first}");
    assert!(event["details"].is_object(), "{first}");
    assert_eq!(report()["events"], serde_json::json!([]), "events are reported once");
    server.gives("pause_profiling", "");
    server.gives("call points b n", "");
    server.gives("unpause_profiling", "");
    server.send("report");
    assert!(server.answer().contains("\"events\":[]"));
    server.end();
}

#[test]
fn a_doubled_signal_stops_one_call() {
    let mut server = Server::start(&[]);
    std::fs::write(server.path("n"), "1000i64").unwrap();
    server.gives("restore n n i64", "");
    server.send("call endless xs n");
    std::thread::sleep(Duration::from_millis(300));
    server.signal(libc::SIGINT);
    std::thread::sleep(Duration::from_millis(1));
    server.signal(libc::SIGINT);
    assert_eq!(server.answer(), "%%% FAILURE\ninterrupted\n");
    server.signal(libc::SIGINT);
    server.gives("call points a n", "");
    server.signal(libc::SIGTERM);
    let code = server.process.wait().unwrap().code();
    assert_eq!(code, Some(143), "another signal is another request");
}
