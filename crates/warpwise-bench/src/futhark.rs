//! Futhark's compiler as a peer, if a `futhark` command is on the path.
//!
//! A program is compiled to a server: a process that keeps values, calls entry points and reports the time of each call. So its
//! inputs stay in place, and its runs can alternate with those of the other peers.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::peer::Peer;
use crate::value::Value;
use crate::work::Work;

/// The back ends that use all cores.
pub const BACK_ENDS: [&str; 2] = ["multicore", "ispc"];

/// A running server with the inputs of one work.
pub struct Futhark {
    name: String,
    entry: String,
    inputs: usize,
    results: usize,
    has_results: bool,
    folder: PathBuf,
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// Returns whether the command is available.
pub fn is_on_path() -> bool {
    Command::new("futhark").arg("--version").output().is_ok_and(|output| output.status.success())
}

impl Futhark {
    /// Compiles the work's program with one back end, starts it, and passes the inputs to it.
    pub fn start(
        root: &Path,
        back_end: &str,
        work: &Work,
        inputs: &[Value],
        threads: usize,
        folder: &Path,
    ) -> Result<Futhark, String> {
        let executable = folder.join(format!("{}-{back_end}", work.program.replace('/', "-")));
        if !executable.exists() {
            let mut command = Command::new("futhark");
            command.args([back_end, "--server", "-o"]).arg(&executable);
            let output = command
                .arg(root.join("benchmarks").join(work.program))
                .output()
                .map_err(|e| e.to_string())?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
        }
        let mut server = Command::new(&executable)
            .arg(format!("--num-threads={threads}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", executable.display()))?;
        let to = server.stdin.take().ok_or("the server has no input")?;
        let from = BufReader::new(server.stdout.take().ok_or("the server has no output")?);
        let (name, entry) = (format!("Futhark {back_end}"), work.entry.to_string());
        let results = work.outputs.len();
        let folder = folder.to_path_buf();
        let mut peer = Futhark {
            name,
            entry,
            inputs: inputs.len(),
            results,
            has_results: false,
            folder,
            server,
            to,
            from,
        };
        peer.answer()?;
        peer.restore(inputs)?;
        Ok(peer)
    }

    fn restore(&mut self, inputs: &[Value]) -> Result<(), String> {
        let path = self.folder.join("inputs");
        let mut file = BufWriter::new(File::create(&path).map_err(|error| error.to_string())?);
        let mut names = String::new();
        for (i, value) in inputs.iter().enumerate() {
            value.write_binary(&mut file).map_err(|error| error.to_string())?;
            names.push_str(&format!(" in{i} {}{}", "[]".repeat(value.shape.len()), value.kind.name()));
        }
        file.flush().map_err(|error| error.to_string())?;
        self.command(&format!("restore {}{names}", path.display()))?;
        std::fs::remove_file(&path).map_err(|error| error.to_string())
    }

    fn command(&mut self, line: &str) -> Result<Vec<String>, String> {
        writeln!(self.to, "{line}").and_then(|()| self.to.flush()).map_err(|error| error.to_string())?;
        self.answer()
    }

    /// Reads the lines up to the one that ends an answer.
    fn answer(&mut self) -> Result<Vec<String>, String> {
        let (mut lines, mut failed) = (Vec::new(), false);
        loop {
            let mut line = String::new();
            let length = self.from.read_line(&mut line).map_err(|error| error.to_string())?;
            match line.trim_end() {
                _ if length == 0 => return Err(format!("{} ended early", self.name)),
                "%%% OK" => break,
                "%%% FAILURE" => failed = true,
                other => lines.push(other.to_string()),
            }
        }
        if failed { Err(lines.join("\n")) } else { Ok(lines) }
    }

    fn names(&self, prefix: &str, count: usize) -> String {
        (0..count).map(|i| format!(" {prefix}{i}")).collect()
    }
}

impl Peer for Futhark {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let results = self.names("out", self.results);
        if self.has_results {
            self.command(&format!("free{results}"))?;
        }
        let call = format!("call {}{results}{}", self.entry, self.names("in", self.inputs));
        let lines = self.command(&call)?;
        self.has_results = true;
        let time = lines.iter().find_map(|line| line.strip_prefix("runtime: "));
        let microseconds = time.and_then(|time| time.trim().parse().ok()).ok_or("no time in the answer")?;
        Ok(Duration::from_micros(microseconds))
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let path = self.folder.join("results");
        let names = self.names("out", self.results);
        self.command(&format!("store {}{names}", path.display()))?;
        let mut file = BufReader::new(File::open(&path).map_err(|error| error.to_string())?);
        let values = (0..self.results).map(|_| Value::read_binary(&mut file)).collect();
        std::fs::remove_file(&path).map_err(|error| error.to_string())?;
        values
    }
}

impl Drop for Futhark {
    fn drop(&mut self) {
        // Nothing depends on how the server ends; it holds no state of this process.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
