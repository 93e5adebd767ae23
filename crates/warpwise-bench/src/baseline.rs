//! The C and ISPC programs of `benchmarks/baselines`: building, loading and calling them.
//!
//! Every source becomes one shared library per compiler and licence. A library is linked without `-ffast-math` even if its code
//! was compiled with it: the linker would add start-up code that changes the treatment of subnormal floats in the whole process.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use libloading::Library;

use crate::peer::Peer;
use crate::value::Value;
use crate::work::{Output, Work};

/// The permitted transformations of floating-point arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Licence {
    /// IEEE arithmetic, except that a product may contract with a sum.
    Strict,
    /// Everything that `-ffast-math` allows.
    Fast,
}

impl Licence {
    /// Returns the word used in columns and file names.
    pub fn name(self) -> &'static str {
        match self {
            Licence::Strict => "strict",
            Licence::Fast => "fast",
        }
    }
}

/// A compiler that is on the path.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// `gcc`, `clang` or `ispc`.
    pub name: &'static str,
    command: &'static str,
}

/// The baselines' sources and the available compilers.
pub struct Baselines {
    sources: PathBuf,
    build: PathBuf,
    /// C compilers on the path, at least one.
    pub c_compilers: Vec<Compiler>,
    /// ISPC if it is on the path.
    pub ispc: Option<Compiler>,
    threads: usize,
}

const C_FLAGS: [&str; 8] = [
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-ffp-contract=fast",
    "-fopenmp",
    "-fPIC",
    "-Wall",
    "-Wno-unused-parameter",
];

impl Baselines {
    /// Finds the compilers. `root` is the repository.
    pub fn find(root: &Path, threads: usize) -> Result<Baselines, String> {
        let build = root.join("benchmarks/build");
        std::fs::create_dir_all(&build).map_err(|error| format!("{}: {error}", build.display()))?;
        let c_compilers: Vec<Compiler> =
            [("gcc", "gcc"), ("clang", "clang-19")].into_iter().filter_map(on_path).collect();
        if c_compilers.is_empty() {
            return Err("neither gcc nor clang-19 is on the path".into());
        }
        let sources = root.join("benchmarks/baselines");
        Ok(Baselines { sources, build, c_compilers, ispc: on_path(("ispc", "ispc")), threads })
    }

    /// Returns the number of threads of every baseline.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Builds and loads the C program of a work, by one compiler under one licence.
    pub fn c(
        &self,
        work: &Work,
        compiler: &Compiler,
        licence: Licence,
        inputs: &Rc<Vec<Value>>,
    ) -> Result<Baseline, String> {
        let object = self.compile_c(work.source, compiler, licence)?;
        let libraries: &[&str] = if work.source == "sgemm_openblas" { &["-lopenblas"] } else { &[] };
        let library = self.link(compiler, &object.with_extension("so"), &[object], libraries)?;
        let name = match work.source {
            "sgemm_openblas" => "OpenBLAS".to_string(),
            _ => format!("C {}", licence.name()),
        };
        self.load(name, &library, work.symbol, work, inputs)
    }

    /// Builds and loads the ISPC program of a work, if there is one and ISPC is on the path.
    pub fn ispc(
        &self,
        work: &Work,
        licence: Licence,
        inputs: &Rc<Vec<Value>>,
    ) -> Result<Option<Baseline>, String> {
        let (Some(source), Some(ispc)) = (work.ispc, &self.ispc) else { return Ok(None) };
        let compiler = &self.c_compilers[0];
        let object = self.build.join(format!("{source}.ispc.{}.o", licence.name()));
        let from = self.sources.join(format!("{source}.ispc"));
        if self.is_older(&object, &from)? {
            let mut command = Command::new(ispc.command);
            command.args(["-O3", "--pic", ispc_target()]).arg("-o").arg(&object).arg(&from);
            if licence == Licence::Fast {
                command.arg("--opt=fast-math");
            }
            execute(&mut command)?;
        }
        let threads = self.compile_c(&format!("{source}_ispc"), compiler, Licence::Strict)?;
        let library = self.link(compiler, &object.with_extension("so"), &[threads, object], &[])?;
        let name = format!("ISPC {}", licence.name());
        self.load(name, &library, &format!("{}_ispc", work.symbol), work, inputs).map(Some)
    }

    fn compile_c(&self, source: &str, compiler: &Compiler, licence: Licence) -> Result<PathBuf, String> {
        let object = self.build.join(format!("{source}.{}.{}.o", compiler.name, licence.name()));
        let from = self.sources.join(format!("{source}.c"));
        if self.is_older(&object, &from)? {
            let mut command = Command::new(compiler.command);
            command.args(C_FLAGS);
            if compiler.name == "clang" {
                // gcc and Warpwise call the same library of vector functions.
                command.arg("-fveclib=libmvec");
            }
            if licence == Licence::Fast {
                command.arg("-ffast-math");
            }
            execute(command.arg("-c").arg(&from).arg("-o").arg(&object))?;
        }
        Ok(object)
    }

    fn link(
        &self,
        compiler: &Compiler,
        to: &Path,
        objects: &[PathBuf],
        libraries: &[&str],
    ) -> Result<PathBuf, String> {
        let newer =
            objects.iter().map(|object| is_older(to, object)).collect::<Result<Vec<bool>, String>>()?;
        if newer.contains(&true) {
            let mut command = Command::new(compiler.command);
            command
                .args(["-shared", "-fopenmp", "-o"])
                .arg(to)
                .args(objects)
                .args(libraries)
                .args(["-lmvec", "-lm"]);
            execute(&mut command)?;
        }
        Ok(to.to_path_buf())
    }

    fn is_older(&self, made: &Path, source: &Path) -> Result<bool, String> {
        Ok(is_older(made, source)? || is_older(made, &self.sources.join("baseline.h"))?)
    }

    fn load(
        &self,
        name: String,
        path: &Path,
        symbol: &str,
        work: &Work,
        inputs: &Rc<Vec<Value>>,
    ) -> Result<Baseline, String> {
        // SAFETY: the library was built from the sources beside this crate; it has no start-up code.
        let library =
            unsafe { Library::new(path) }.map_err(|error| format!("{}: {error}", path.display()))?;
        // SAFETY: `baseline.h` declares this function with this type.
        unsafe {
            let set_threads = library.get::<unsafe extern "C" fn(c_int)>(b"baseline_threads\0");
            set_threads.map_err(|error| error.to_string())?(self.threads as c_int);
        }
        // SAFETY: `baseline.h` declares every baseline with this type; the library stays loaded, see below.
        let function =
            unsafe { *library.get::<Function>(symbol.as_bytes()).map_err(|error| error.to_string())? };
        // Threads of OpenMP's run time keep running its code, so no library may ever be unloaded.
        std::mem::forget(library);
        let outputs = work.outputs.iter().flat_map(Output::room).collect();
        let forms = work.outputs.clone();
        Ok(Baseline { name, sizes: work.sizes.clone(), inputs: inputs.clone(), outputs, forms, function })
    }
}

type Function = unsafe extern "C" fn(*const i64, *const *const c_void, *const *mut c_void);

/// A loaded baseline with its inputs and space for its results.
pub struct Baseline {
    name: String,
    sizes: Vec<i64>,
    inputs: Rc<Vec<Value>>,
    outputs: Vec<Value>,
    forms: Vec<Output>,
    function: Function,
}

impl Peer for Baseline {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let inputs: Vec<*const c_void> =
            self.inputs.iter().map(|value| value.bytes().as_ptr().cast()).collect();
        let outputs: Vec<*mut c_void> =
            self.outputs.iter_mut().map(|value| value.bytes_mut().as_mut_ptr().cast()).collect();
        let start = Instant::now();
        // SAFETY: sizes, inputs and outputs are those that the work's table specifies for this function.
        unsafe { (self.function)(self.sizes.as_ptr(), inputs.as_ptr(), outputs.as_ptr()) };
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let mut slots = self.outputs.iter();
        let results = self.forms.iter().map(|form| form.result(&mut slots));
        Ok(results.collect())
    }
}

fn ispc_target() -> &'static str {
    if std::arch::is_x86_feature_detected!("avx512bw") { "--target=avx512skx-x16" } else { "--target=host" }
}

fn on_path((name, command): (&'static str, &'static str)) -> Option<Compiler> {
    let answers = Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success());
    answers.then_some(Compiler { name, command })
}

fn is_older(made: &Path, source: &Path) -> Result<bool, String> {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified());
    let source_time = changed(source).map_err(|error| format!("{}: {error}", source.display()))?;
    Ok(changed(made).map_or(true, |time| time < source_time))
}

fn execute(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
}
