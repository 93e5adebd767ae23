//! What NVIDIA's libraries make of a work: CUB, Thrust and cuBLAS, called by a few lines of CUDA C++ of ours, which `nvcc`
//! compiles where there is one.
//!
//! They get the arrays that lie on the device: the run time of CUDA shares the device's context with us.

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

/// The files below `benchmarks/baselines/gpu`, what their columns are called, and what they are linked with.
const FILES: [(&str, &str, &[&str]); 2] = [("cub", "CUB", &[]), ("cublas", "cuBLAS", &["-lcublas"])];

/// All that can be compiled; of the others, why not.
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

/// `nvcc`, where it is.
fn nvcc() -> Option<PathBuf> {
    let answers = |command: &PathBuf| {
        Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    [PathBuf::from("nvcc"), PathBuf::from("/usr/local/cuda/bin/nvcc")].into_iter().find(answers)
}

/// A file as a library, compiled unless that was done since it changed; where there is no compiler, as it was compiled
/// elsewhere.
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
    // SAFETY: the library was built from our source, and the start-up code of CUDA's run time only registers kernels.
    let library = unsafe { Library::new(&made) }.map_err(|error| error.to_string())?;
    // SAFETY: every file has this function.
    let error = unsafe { library.get::<Ready>(b"ready\0").map_err(|error| error.to_string())?() };
    if error == 0 { Ok(library) } else { Err(format!("it starts with error {error}")) }
}

/// Starts the library; gives an error's number, or 0.
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

/// Computes on the device; gives an error's number, or 0. Of the inputs and results, scalars lie on the host if they are inputs.
type Function = unsafe extern "C" fn(*const i64, *const *const c_void, *const *mut c_void) -> c_int;

/// A function of a library, with arrays on a device.
struct Call {
    name: &'static str,
    function: Function,
    sizes: Vec<i64>,
    /// Scalars.
    given: Vec<Option<Value>>,
    /// Arrays of the inputs, and nothing for scalars.
    inputs: Vec<Option<Placed>>,
    results: Vec<Placed>,
    memory: DeviceMemory,
}

impl Libraries {
    /// The work by this library on a device, if it does it. The library must outlive it.
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
        // SAFETY: the arrays are those that the work's table gives for this function, and stay where they are.
        let error = unsafe { (self.function)(self.sizes.as_ptr(), pointers.as_ptr(), rooms.as_ptr()) };
        self.memory.device().finish().map_err(|error| error.to_string())?;
        let time = start.elapsed();
        if error == 0 { Ok(time) } else { Err(format!("error {error}")) }
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.results.iter().map(fetch).collect()
    }
}
