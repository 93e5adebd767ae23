//! Export of computations as files that run without the compiler: executables, servers, libraries for C.

use std::path::{Path, PathBuf};

use warpwise_diag::Sources;
use warpwise_driver::Options;
use warpwise_driver::build::BuildError;
use warpwise_driver::standalone::compile_standalone;
use warpwise_export::{Api, Form, export};
use warpwise_ir::deep::deep;
use warpwise_ir::{EntryResult, EntryType, OpaqueForm, Program};
use warpwise_prim::ValueType;

use crate::error::Error;
use crate::function::Computation;
use crate::graph::{self, ArrayTy, Ref, Ty};
use crate::lower::{lower, parameter, wrong};

/// Computations to be built into one executable or library, as entry points with names.
///
/// In exported programs, elements of several components are tuples, and several results are a tuple. Foreign functions are
/// replaced by their fallbacks. The code is for the processor: for the one of this machine unless [`portable`](Export::portable).
///
/// ```
/// use warpwise::{Acc, Exp, Export, Vector};
///
/// let folder = tempfile::tempdir()?;
/// let export = Export::new()
///     .entry("axpy", |a: Exp<f64>, xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| {
///         xs.zip_with(&ys, move |x, y| a * x + y)
///     })?
///     .entry("sum", |xs: Acc<Vector<f64>>| xs.sum())?;
/// let files = export.library(&folder.path().join("linear"))?;
/// let names: Vec<_> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
/// assert_eq!(names, ["liblinear.so", "liblinear.a", "linear.h", "linear.json", "linear.c"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Export {
    program: Program,
    portable: bool,
}

/// Drops the program with a large stack, because computations may be deeply nested.
impl Drop for Export {
    fn drop(&mut self) {
        let program = std::mem::take(&mut self.program);
        deep(|| drop(program));
    }
}

impl Export {
    /// Creates an export without computations.
    ///
    /// ```
    /// use warpwise::{Exp, Export};
    ///
    /// let export = Export::new().entry("double", |x: Exp<i32>| x * 2)?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Export {
        Export::default()
    }

    /// Adds a computation under a name. It may use no host arrays except its parameters.
    ///
    /// ```
    /// use warpwise::{Acc, Export, Matrix, Vector};
    ///
    /// let export = Export::new().entry("times", |a: Acc<Matrix<f32>>, x: Acc<Vector<f32>>| {
    ///     let x = x.reader();
    ///     a.imap(move |(_, j), a| a * x.at(j)).sum()
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn entry<A, C: Computation<A>>(mut self, name: &str, computation: C) -> Result<Export, Error> {
        if self.program.entry(name).is_some() {
            return Err(Error::Export(format!("two computations are called `{name}`")));
        }
        let function = graph::scope(|| {
            let (params, results) = computation.build();
            let lowered = deep(|| lower(&params, &results))?;
            if let Some(node) = lowered.used.first() {
                return Err(wrong(
                    node,
                    "an exported computation cannot use an array of the host; make it a parameter",
                ));
            }
            let mut functions = lowered.program.functions.values().cloned();
            let mut function =
                functions.next().ok_or_else(|| Error::Internal("a computation without code".to_string()))?;
            function.name = name.to_string();
            if let Some(entry) = &mut function.entry {
                entry.name = name.to_string();
                entry.params = params.iter().flat_map(types).map(parameter).collect();
                entry.results = results.iter().flat_map(types).map(EntryResult::from).collect();
            }
            Ok(function)
        })?;
        self.program.functions.push(function);
        Ok(self)
    }

    /// Generates code that runs on every processor of the last fifteen years, and selects the best of three versions at startup.
    ///
    /// ```
    /// use warpwise::{Exp, Export};
    ///
    /// let export = Export::new().portable().entry("double", |x: Exp<i32>| x * 2)?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn portable(mut self) -> Export {
        self.portable = true;
        self
    }

    /// Writes an executable that reads arguments from its standard input and writes results to its standard output.
    /// Without `-e NAME` it runs the computation `main`.
    ///
    /// ```
    /// use std::io::Write;
    /// use std::process::{Command, Stdio};
    ///
    /// use warpwise::{Acc, Export, Vector};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let program = folder.path().join("total");
    /// Export::new().entry("main", |xs: Acc<Vector<i32>>| xs.sum())?.executable(&program)?;
    /// let mut run = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    /// if let Some(mut input) = run.stdin.take() {
    ///     input.write_all(b"[1i32, 2i32, 3i32]")?;
    /// }
    /// assert_eq!(run.wait_with_output()?.stdout, b"6i32\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn executable(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        self.write(Form::Executable, path)
    }

    /// Writes an executable that takes commands from its standard input, in Futhark's server protocol.
    ///
    /// ```
    /// use warpwise::{Exp, Export};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let program = folder.path().join("server");
    /// Export::new().entry("double", |x: Exp<i32>| x * 2)?.server(&program)?;
    /// assert!(program.is_file());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn server(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        self.write(Form::Server, path)
    }

    /// Writes a shared object, a static library, a C header by Futhark's conventions, a manifest, and a single C file with the
    /// whole library, in the same folder: for `dir/name` these are `dir/libname.so`, `dir/libname.a`, `dir/name.h`,
    /// `dir/name.json` and `dir/name.c`. Returns their paths.
    ///
    /// ```
    /// use warpwise::{Exp, Export};
    ///
    /// let folder = tempfile::tempdir()?;
    /// Export::new().entry("double", |x: Exp<i32>| x * 2)?.library(&folder.path().join("twice"))?;
    /// let header = std::fs::read_to_string(folder.path().join("twice.h"))?;
    /// assert!(header.contains("futhark_entry_double("));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn library(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        self.write(Form::Library(Api::default()), path)
    }

    fn write(&self, form: Form, path: &Path) -> Result<Vec<PathBuf>, Error> {
        let sources = Sources::new();
        let compiled = deep(|| {
            compile_standalone(&mut self.program.clone(), &sources, &Options::default(), self.portable)
        });
        let compiled = compiled.map_err(|failure| BuildError::Failure { failure, sources })?;
        export(&compiled, form, path).map_err(|error| Error::Export(error.to_string()))
    }
}

/// Returns the surface types of a node.
fn types(node: &Ref) -> Vec<EntryType> {
    match &node.ty {
        Ty::Scalars(components) => vec![element(components)],
        Ty::Arrays(arrays) => arrays.iter().map(array).collect(),
    }
}

fn array(ArrayTy { rank, components }: &ArrayTy) -> EntryType {
    match (rank, components.as_slice()) {
        (0, components) => element(components),
        (_, [only]) => EntryType::Array(*only, *rank),
        (_, components) => EntryType::Opaque {
            name: String::new(),
            fields: numbered(components.iter().map(|ty| EntryType::Array(*ty, *rank))),
            form: OpaqueForm::Array(*rank, Box::new(element(components))),
        },
    }
}

fn element(components: &[ValueType]) -> EntryType {
    match components {
        [only] => EntryType::Scalar(*only),
        components => EntryType::Opaque {
            name: String::new(),
            fields: numbered(components.iter().map(|ty| EntryType::Scalar(*ty))),
            form: OpaqueForm::Record,
        },
    }
}

fn numbered(types: impl Iterator<Item = EntryType>) -> Vec<(String, EntryType)> {
    types.enumerate().map(|(number, ty)| (number.to_string(), ty)).collect()
}
