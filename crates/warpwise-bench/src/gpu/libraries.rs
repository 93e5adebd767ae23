//! NVIDIA's libraries CUB, Thrust and cuBLAS as peers, called by a few lines of CUDA C++ of this repository, which `nvcc`
//! compiles if it is available.
//!
//! They get the arrays in the device's memory: CUDA's run time shares the device's context with Warpwise.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libloading::Library;
use warpwise_driver::{Context, Dialect};
use warpwise_runtime::device::memory::{Access, DeviceMemory};

use super::launches::{Array, Placed, fetch};
use crate::peer::Peer;
use crate::value::Value;
use crate::work::Work;

/// A compiled file.
pub(super) struct Libraries {
    name: &'static str,
    code: Library,
}

/// The files below `benchmarks/baselines/gpu`, the names of their columns, and the options that they are linked with.
const FILES: [(&str, &str, &[&str]); 2] = [("cub", "CUB", &[]), ("cublas", "cuBLAS", &["-lcublas"])];

/// Compiles and loads all libraries; also returns the reasons why others are absent.
pub(super) fn libraries(root: &Path, dialect: Dialect) -> (Vec<Libraries>, Vec<String>) {
    let (mut there, mut absent) = (Vec::new(), Vec::new());
    for (file, name, links) in FILES {
        let code = match dialect {
            Dialect::Cuda => compile(root, file, links),
            Dialect::OpenCl => Err("this is no CUDA device".to_string()),
        };
        match code {
            Ok(code) => there.push(Libraries { name, code }),
            Err(why) => absent.push(format!("{name}: {why}")),
        }
    }
    (there, absent)
}

/// Finds `nvcc`.
fn nvcc() -> Option<PathBuf> {
    let answers = |command: &PathBuf| {
        Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    [PathBuf::from("nvcc"), PathBuf::from("/usr/local/cuda/bin/nvcc")].into_iter().find(answers)
}

/// Loads a file as a library, compiled unless the compiled library is newer; without a compiler, a library compiled elsewhere is
/// used.
fn compile(root: &Path, file: &str, links: &[&str]) -> Result<Library, String> {
    let source = root.join("benchmarks/baselines/gpu").join(format!("{file}.cu"));
    let made = root.join("benchmarks/build").join(format!("{file}.gpu.so"));
    let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    if changed(&made) <= changed(&source) {
        match nvcc() {
            Some(nvcc) => make(&nvcc, &source, &made, links)?,
            None if made.exists() => {}
            None => return Err("there is no nvcc".to_string()),
        }
    }
    // SAFETY: the library was built from this repository's source, and the start-up code of CUDA's run time only registers
    // kernels.
    let library = unsafe { Library::new(&made) }.map_err(|error| error.to_string())?;
    // SAFETY: every file has this function.
    let error = unsafe { library.get::<Ready>(b"ready\0").map_err(|error| error.to_string())?() };
    if error == 0 { Ok(library) } else { Err(format!("it starts with error {error}")) }
}

/// A function that starts the library; returns an error number, or 0.
type Ready = unsafe extern "C" fn() -> c_int;

fn make(nvcc: &Path, source: &Path, made: &Path, links: &[&str]) -> Result<(), String> {
    let folder = made.parent().ok_or("a file lies in a folder")?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new(nvcc);
    command.args([
        "-O3",
        "-std=c++17",
        "--extended-lambda",
        "-arch=native",
        "-shared",
        "-Xcompiler",
        "-fPIC",
        "-o",
    ]);
    let output = command.arg(made).arg(source).args(links).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors.lines().find(|line| line.contains("error")).or(errors.lines().next());
    Err(format!("nvcc cannot compile {}: {}", source.display(), first.unwrap_or_default()))
}

/// A function that computes on the device; returns an error number, or 0. Input scalars are in the host's memory, all other
/// inputs and results in the device's.
type Function = unsafe extern "C" fn(*const i64, *const *const c_void, *const *mut c_void) -> c_int;

/// A function of a library, with arrays on a device.
struct Call {
    name: &'static str,
    function: Function,
    sizes: Vec<i64>,
    /// Scalar inputs; none for arrays.
    given: Vec<Option<Value>>,
    /// Array inputs; none for scalars.
    inputs: Vec<Option<Placed>>,
    results: Vec<Placed>,
    memory: DeviceMemory,
}

impl Libraries {
    /// Prepares the work by this library on a device, if the library does it. The library must outlive the peer.
    pub fn peer(
        &self,
        work: &Work,
        inputs: &[Value],
        context: &Context,
        device: (Dialect, usize),
    ) -> Result<Option<Box<dyn Peer>>, String> {
        // SAFETY: every function that the files export under a work's name has this type.
        let Ok(function) = (unsafe { self.code.get::<Function>(work.symbol.as_bytes()) }) else {
            return Ok(None);
        };
        let memory = context.device_memory(device.0, device.1).map_err(|error| error.to_string())?;
        let (mut given, mut placed) = (Vec::new(), Vec::new());
        for (at, value) in inputs.iter().enumerate() {
            let scalar = value.shape.is_empty();
            given.push(scalar.then(|| value.prefix(1)));
            placed.push(if scalar { None } else { Some(Array::Input(at).place(inputs, &memory)?) });
        }
        let room = |output| Array::room(output).place(&[], &memory);
        let results = work.outputs.iter().map(room).collect::<Result<_, _>>()?;
        let (name, function, sizes) = (self.name, *function, work.sizes.clone());
        Ok(Some(Box::new(Call { name, function, sizes, given, inputs: placed, results, memory })))
    }
}

impl Peer for Call {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let pin = |(block, ..): &Placed| block.pin(Access::Write).map_err(|error| error.to_string());
        let inputs = self.inputs.iter().map(|input| input.as_ref().map(pin).transpose());
        let inputs = inputs.collect::<Result<Vec<_>, String>>()?;
        let results = self.results.iter().map(pin).collect::<Result<Vec<_>, String>>()?;
        let pointers: Vec<*const c_void> = (self.given.iter().zip(&inputs))
            .map(|(given, input)| match (given, input) {
                (Some(value), _) => value.bytes().as_ptr().cast(),
                (None, Some(pin)) => pin.buffer().0 as *const c_void,
                (None, None) => std::ptr::null(),
            })
            .collect();
        let rooms: Vec<*mut c_void> = results.iter().map(|pin| pin.buffer().0 as *mut c_void).collect();
        self.memory.device().make_current().map_err(|error| error.to_string())?;
        let start = Instant::now();
        // SAFETY: the arrays are those that the work's table specifies for this function, and stay in place.
        let error = unsafe { (self.function)(self.sizes.as_ptr(), pointers.as_ptr(), rooms.as_ptr()) };
        self.memory.device().finish().map_err(|error| error.to_string())?;
        let time = start.elapsed();
        if error == 0 { Ok(time) } else { Err(format!("error {error}")) }
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.results.iter().map(fetch).collect()
    }
}
