//! Libraries of Python as peers: servers (`benchmarks/baselines/gpu/peers.py`, which documents the protocol), one per library,
//! that start once and keep the arrays of a work where the library computes.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::peer::Peer;
use crate::value::Value;
use crate::work::{Output, Work};

/// The processor on which libraries of Python compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PythonOn {
    /// On the GPU.
    Gpu,
    /// On the CPU, for trials without a GPU.
    Cpu,
}

impl PythonOn {
    /// Returns the servers' word for it, and the libraries that can take part.
    fn words(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            PythonOn::Gpu => {
                ("gpu", &[("cupy", "CuPy"), ("torch", "PyTorch"), ("jax", "JAX"), ("numba", "Numba")])
            }
            PythonOn::Cpu => ("cpu", &[("numpy", "NumPy"), ("torch", "PyTorch"), ("jax", "JAX")]),
        }
    }
}

/// A running server.
pub(super) struct Server {
    /// Name of the library, and of its column.
    name: &'static str,
    /// Name and version of the library.
    pub title: String,
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// Starts the servers of all available libraries; also returns the reasons why others are absent.
pub(super) fn servers(root: &Path, python: &str, on: PythonOn) -> (Vec<Rc<RefCell<Server>>>, Vec<String>) {
    let (place, libraries) = on.words();
    // All servers start before the first is asked: importing takes a while.
    let starting: Vec<_> =
        libraries.iter().map(|&(module, name)| (name, start(root, python, module, name, place))).collect();
    let (mut there, mut absent) = (Vec::new(), Vec::new());
    for (name, server) in starting {
        match server.and_then(Server::ready) {
            Ok(server) => there.push(Rc::new(RefCell::new(server))),
            Err(why) => absent.push(format!("{name}: {why}")),
        }
    }
    (there, absent)
}

fn start(root: &Path, python: &str, module: &str, name: &'static str, place: &str) -> Result<Server, String> {
    let mut process = Command::new(python)
        .arg(root.join("benchmarks/baselines/gpu/peers.py"))
        .args([module, place])
        // JAX would otherwise take most of the device's memory.
        .env("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{python}: {error}"))?;
    let to = process.stdin.take().ok_or("the server has no input")?;
    let from = BufReader::new(process.stdout.take().ok_or("the server has no output")?);
    Ok(Server { name, title: String::new(), process, to, from })
}

impl Server {
    /// Waits for the server's first answer.
    fn ready(mut self) -> Result<Server, String> {
        let answer = self.answer()?;
        if let Some(why) = answer["absent"].as_str() {
            return Err(why.lines().next().unwrap_or_default().to_string());
        }
        self.title = answer["ready"].as_str().ok_or("no name in the answer")?.to_string();
        Ok(self)
    }

    fn answer(&mut self) -> Result<Json, String> {
        let mut line = String::new();
        let length = self.from.read_line(&mut line).map_err(|error| error.to_string())?;
        if length == 0 {
            return Err("it ended early".to_string());
        }
        let answer: Json = serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
        answer["error"].as_str().map_or(Ok(answer.clone()), |error| Err(error.to_string()))
    }

    fn ask(&mut self, request: &Json) -> Result<Json, String> {
        writeln!(self.to, "{request}").and_then(|()| self.to.flush()).map_err(|error| error.to_string())?;
        self.answer()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing depends on how the server ends; it holds no state of this process.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The inputs of a work in files, for all servers.
pub(super) struct InputFiles {
    folder: tempfile::TempDir,
    described: Vec<Json>,
}

impl InputFiles {
    pub fn write(inputs: &[Value]) -> Result<InputFiles, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut described = Vec::new();
        for (at, value) in inputs.iter().enumerate() {
            let path = folder.path().join(format!("in{at}"));
            std::fs::write(&path, value.bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
            described.push(json!({"kind": value.kind.name(), "shape": value.shape, "path": path}));
        }
        Ok(InputFiles { folder, described })
    }
}

/// A work that a server has loaded.
struct Loaded {
    name: &'static str,
    server: Rc<RefCell<Server>>,
    outputs: Vec<Output>,
    folder: PathBuf,
}

/// Prepares the work by a server's library, if the library does it. The files must outlive the peer.
pub(super) fn peer(
    server: &Rc<RefCell<Server>>,
    work: &Work,
    files: &InputFiles,
) -> Result<Option<Box<dyn Peer>>, String> {
    let kind = |output: &Output| match output {
        Output::Array(kind, _) | Output::Counted(kind, _) => kind.name(),
    };
    let kinds: Vec<&str> = work.outputs.iter().map(kind).collect();
    let request = json!({"do": "load", "work": work.symbol, "inputs": files.described, "outputs": kinds});
    let name = server.borrow().name;
    let answer = server.borrow_mut().ask(&request)?;
    let (outputs, folder) = (work.outputs.clone(), files.folder.path().to_path_buf());
    let loaded = Loaded { name, server: server.clone(), outputs, folder };
    Ok((answer["does"] == true).then(|| Box::new(loaded) as Box<dyn Peer>))
}

/// Reads the result in a file.
fn result(output: &Output, path: &Path) -> Result<Value, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut value = match output {
        Output::Array(kind, shape) => Value::zeros(*kind, shape),
        Output::Counted(kind, _) => Value::zeros(*kind, &[bytes.len() / kind.size()]),
    };
    if bytes.len() != value.bytes().len() {
        return Err(format!("a result of {} bytes in place of {}", bytes.len(), value.bytes().len()));
    }
    value.bytes_mut().copy_from_slice(&bytes);
    Ok(value)
}

impl Peer for Loaded {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let answer = self.server.borrow_mut().ask(&json!({"do": "run"}))?;
        answer["seconds"].as_f64().map(Duration::from_secs_f64).ok_or_else(|| "no time in the answer".into())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let paths: Vec<PathBuf> =
            (0..self.outputs.len()).map(|at| self.folder.join(format!("{}{at}", self.name))).collect();
        self.server.borrow_mut().ask(&json!({"do": "store", "paths": paths}))?;
        self.outputs.iter().zip(&paths).map(|(output, path)| result(output, path)).collect()
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // A server that fails here reports that at the next request.
        let _ = self.server.borrow_mut().ask(&json!({"do": "drop"}));
    }
}
