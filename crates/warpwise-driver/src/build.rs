//! Compilation of a program's text, through the cache.
//!
//! Some of a compilation's inputs are known only after it: the files that the program imports. The key of a cache entry is
//! therefore made of the first file, the options, the CPU and this build of the compiler. The entry lists the imported files with
//! fingerprints of their texts, and is replaced when one of them has changed. A hit reads these files and parses nothing.
//!
//! Files that end in `.ir` hold core IR as text instead of source. Embedded programs of this executable, and core IR from other
//! crates, are handled in the same way; their key contains their whole text.

use std::fmt;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use warpwise_diag::{Diagnostic, Failure, FileId, SourceFile, SourceProvider, Sources, Span, render};
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::deep::deep;
use warpwise_ir::verify::{Level, verify};

use crate::cache::DiskCache;
use crate::compiler::{self, Options};
use crate::private::Refused;
use crate::program::Compiled;
use crate::standalone::{Standalone, compile_standalone};
use warpwise_source::embedded::Embedded;
use warpwise_source::files::{Dependency, SourceError, SourceFiles};
use warpwise_source::fingerprint::Fingerprint;

/// The output of a front end.
#[derive(Debug)]
pub struct Core {
    /// Core IR, at level `soac` where it came from source.
    pub program: CoreProgram,
    /// All source texts that were read.
    pub sources: Sources,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// A compiled file.
#[derive(Debug)]
pub struct Built {
    /// The program.
    pub compiled: Compiled,
    /// Warnings, as readable text.
    pub warnings: String,
    /// Whether it was in the cache.
    pub cached: bool,
    /// The reason why it could not be put into the cache.
    pub not_kept: Option<String>,
}

/// The main file of a program.
#[derive(Clone, Copy, Debug)]
pub enum Start<'s> {
    /// A file.
    File(&'s Path),
    /// A text without a file.
    Text {
        /// Name for messages.
        name: &'s str,
        /// The text.
        text: &'s str,
        /// Folder in which its imports are looked up.
        folder: &'s Path,
    },
}

impl Start<'_> {
    fn read(self, files: &SourceFiles) -> Result<SourceFile, BuildError> {
        let read = match self {
            Start::File(path) => files.root(path),
            Start::Text { name, text, folder } => files.text(folder, name, text.to_string()),
        };
        read.map_err(BuildError::Source)
    }

    /// Returns whether it is core IR as text.
    fn is_core(self) -> bool {
        match self {
            Start::File(path) => is_core(path),
            Start::Text { name, .. } => is_core(Path::new(name)),
        }
    }
}

/// The reason why there is no compiled program.
#[derive(Debug)]
pub enum BuildError {
    /// The file cannot be used.
    Source(SourceError),
    /// The options do not fit this machine.
    Target(String),
    /// The compilation stopped.
    Failure {
        /// The failure.
        failure: Failure,
        /// The source texts that its spans refer to.
        sources: Sources,
    },
}

/// An entry of the cache.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    imported: Vec<Dependency>,
    made: T,
}

/// The product of a compilation, new or from the cache.
#[derive(Debug)]
pub struct Made<T> {
    /// The product.
    pub made: T,
    /// Whether it was in the cache.
    pub cached: bool,
    /// The reason why it could not be put into the cache.
    pub not_kept: Option<String>,
    /// The reason why the cache cannot be trusted, if so; nothing is taken from it then.
    pub refused: Option<String>,
}

/// Compiles a file, or takes it from the cache.
pub fn build(path: &Path, options: &Options, cache: Option<&DiskCache>) -> Result<Built, BuildError> {
    build_program(Start::File(path), options, cache)
}

/// Compiles a program, or takes it from the cache.
pub fn build_program(
    start: Start<'_>,
    options: &Options,
    cache: Option<&DiskCache>,
) -> Result<Built, BuildError> {
    let files = SourceFiles::new();
    let main = start.read(&files)?;
    let slot = slot(cache, options, &[&main.key, &main.name, &main.text])?;
    build_in(
        slot,
        || {
            let core = verified(front_end(main, &files, options)?, start)?;
            Ok((core, files.imported()))
        },
        options,
    )
}

/// Compiles a program embedded in this executable, or takes it from the cache.
pub fn build_embedded(
    program: &Embedded,
    options: &Options,
    cache: Option<&DiskCache>,
) -> Result<Built, BuildError> {
    let slot = slot(cache, options, program)?;
    build_in(slot, || Ok((read_embedded(program, options)?, Vec::new())), options)
}

/// Compiles core IR (level `soac`) with this text, or takes the result from the cache.
pub fn build_core(
    program: CoreProgram,
    text: &str,
    options: &Options,
    cache: Option<&DiskCache>,
) -> Result<Built, BuildError> {
    let slot = slot(cache, options, &("core", text))?;
    let core = Core { program, sources: Sources::new(), warnings: Vec::new() };
    build_in(slot, || Ok((core, Vec::new())), options)
}

/// Compiles core IR (level `soac`) of accelerated expressions of a host program with these files, or takes the result from the cache.
/// The files and `part` distinguish it from all other core IR.
pub fn build_host(
    program: CoreProgram,
    sources: &Sources,
    part: &impl Hash,
    options: &Options,
    cache: Option<&DiskCache>,
) -> Result<Built, BuildError> {
    let files = (0..).map(FileId).take_while(|file| sources.contains(*file));
    let texts: Vec<(&str, &str)> = files.map(|file| (sources.name(file), sources.text(file))).collect();
    let slot = slot(cache, options, &("host", texts, part))?;
    let core = Core { program, sources: sources.clone(), warnings: Vec::new() };
    build_in(slot, || Ok((core, Vec::new())), options)
}

/// Takes the object for a self-contained text from the cache, or compiles it. An object that cannot be kept is compiled again next time.
#[cfg(all(feature = "cpu", feature = "mexpr", target_arch = "x86_64"))]
pub(crate) fn build_object(
    text: &str,
    options: &Options,
    cache: Option<&DiskCache>,
    compile: impl FnOnce() -> Result<warpwise_cpu::Object, BuildError>,
) -> Result<warpwise_cpu::Object, BuildError> {
    let slot = slot(cache, options, &("object", text))?;
    through_cache(slot, || Ok((compile()?, Vec::new()))).map(|made| made.made)
}

/// Takes a program from its slot in the cache, or reads it, compiles it and puts it there.
fn build_in(
    slot: Option<(&DiskCache, u128)>,
    read: impl FnOnce() -> Result<(Core, Vec<Dependency>), BuildError>,
    options: &Options,
) -> Result<Built, BuildError> {
    let make = || {
        let (Core { mut program, sources, warnings }, imported) = read()?;
        let warnings = render(&sources, &warnings, false);
        match compiler::compile_core(&mut program, &sources, options) {
            Ok(compiled) => Ok(((warnings, compiled), imported)),
            Err(failure) => Err(BuildError::Failure { failure, sources }),
        }
    };
    let made = through_cache(slot, || deep(make))?;
    let Made { made: (mut warnings, compiled), cached, not_kept, refused } = made;
    if let Some(refused) = refused {
        warnings.push_str(&format!("warning: {refused}\n"));
    }
    Ok(Built { compiled, warnings, cached, not_kept })
}

/// Takes a product from its slot in the cache, or makes it and puts it there.
pub(crate) fn through_cache<T: Serialize + DeserializeOwned, E>(
    slot: Option<(&DiskCache, u128)>,
    make: impl FnOnce() -> Result<(T, Vec<Dependency>), E>,
) -> Result<Made<T>, E> {
    let refused = match slot.map(|(cache, key)| kept(cache, key)) {
        Some(Ok(Some(made))) => return Ok(Made { made, cached: true, not_kept: None, refused: None }),
        Some(Err(refused)) => Some(refused.to_string()),
        Some(Ok(None)) | None => None,
    };
    let (made, imported) = make()?;
    let entry = Kept { imported, made };
    let not_kept = match (&refused, slot) {
        (Some(refused), _) => Some(refused.clone()),
        (None, Some((cache, key))) => keep(cache, key, &entry).err(),
        (None, None) => None,
    };
    Ok(Made { made: entry.made, cached: false, not_kept, refused })
}

/// A file compiled for linking.
#[derive(Debug)]
pub struct BuiltStandalone {
    /// The program.
    pub program: Standalone,
    /// Warnings, as readable text.
    pub warnings: String,
}

/// Compiles a file for linking, for this processor or, if `portable`, for several.
pub fn build_standalone(
    path: &Path,
    options: &Options,
    portable: bool,
) -> Result<BuiltStandalone, BuildError> {
    deep(|| build_standalone_here(path, options, portable))
}

fn build_standalone_here(
    path: &Path,
    options: &Options,
    portable: bool,
) -> Result<BuiltStandalone, BuildError> {
    let files = SourceFiles::new();
    let main = files.root(path).map_err(BuildError::Source)?;
    compiler::target(options).map_err(BuildError::Target)?;
    let core = front_end(main, &files, options)?;
    let Core { mut program, sources, warnings } = verified(core, Start::File(path))?;
    match compile_standalone(&mut program, &sources, options, portable) {
        Ok(program) => Ok(BuiltStandalone { program, warnings: render(&sources, &warnings, false) }),
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

/// Reads a file and runs the front end only. The result of a host program is the core IR of its accelerated expressions.
pub fn read_core(path: &Path, options: &Options) -> Result<Core, BuildError> {
    deep(|| read_core_here(path, options))
}

fn read_core_here(path: &Path, options: &Options) -> Result<Core, BuildError> {
    #[cfg(feature = "mexpr")]
    if path.extension().is_some_and(|ending| ending == "mc") {
        return crate::host::program::HostProgram::check(path, None)?.core(options);
    }
    read_start(Start::File(path), options)
}

/// Reads a program and runs the front end only.
pub fn read_program(start: Start<'_>, options: &Options) -> Result<Core, BuildError> {
    deep(|| read_start(start, options))
}

fn read_start(start: Start<'_>, options: &Options) -> Result<Core, BuildError> {
    let files = SourceFiles::new();
    let main = start.read(&files)?;
    front_end(main, &files, options)
}

/// Runs the front end only, on a program embedded in this executable.
pub fn read_embedded(program: &Embedded, options: &Options) -> Result<Core, BuildError> {
    deep(|| front_end(program.main(), program, options))
}

pub(crate) fn front_end(
    main: SourceFile,
    files: &dyn SourceProvider,
    wanted: &Options,
) -> Result<Core, BuildError> {
    let mut sources = Sources::new();
    let made = if is_core(Path::new(&main.name)) {
        let file = sources.add(main.name, main.text);
        warpwise_ir::parse::parse(sources.text(file), file).map(|program| (program, Vec::new()))
    } else {
        compile_source(main, files, &mut sources, wanted)
    };
    match made {
        Ok((mut program, warnings)) => {
            keep_entries(&mut program, &wanted.entries);
            Ok(Core { program, sources, warnings })
        }
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

/// Returns the core IR of a program in the array language, and warnings.
#[cfg(feature = "fut")]
fn compile_source(
    main: SourceFile,
    files: &dyn SourceProvider,
    sources: &mut Sources,
    wanted: &Options,
) -> Result<(CoreProgram, Vec<Diagnostic>), Failure> {
    let options = warpwise_fut::compile::Options { unchecked: wanted.unsafe_ };
    let made = warpwise_fut::compile::compile(main, files, sources, options)?;
    Ok((made.program, made.warnings))
}

#[cfg(not(feature = "fut"))]
fn compile_source(
    main: SourceFile,
    _: &dyn SourceProvider,
    sources: &mut Sources,
    _: &Options,
) -> Result<(CoreProgram, Vec<Diagnostic>), Failure> {
    let span = Span { file: sources.add(main.name, main.text), start: 0, end: 0 };
    let message =
        "this build of Warpwise reads core IR only: it was made without the feature `fut`".to_string();
    Err(warpwise_diag::Limit { message, span }.into())
}

/// Turns entry points that are not listed into ordinary functions, which are removed unless they are called. Does nothing if no name is
/// given or one does not exist.
fn keep_entries(program: &mut CoreProgram, entries: &[String]) {
    if entries.is_empty() || entries.iter().any(|entry| program.entry(entry).is_none()) {
        return;
    }
    for function in program.functions.values_mut() {
        function.entry.take_if(|point| !entries.contains(&point.name));
    }
}

/// Returns whether a file holds core IR as text.
fn is_core(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ir")
}

/// Verifies core IR that comes from a text: hand-written core IR may be wrong.
fn verified(core: Core, start: Start<'_>) -> Result<Core, BuildError> {
    let errors = if start.is_core() { verify(&core.program, Level::Soac).err() } else { None };
    let Some(errors) = errors else { return Ok(core) };
    let diagnostics = errors.iter().map(|error| Diagnostic::error("E0900", Span::NONE, error.to_string()));
    Err(BuildError::Failure { failure: Failure::User(diagnostics.collect()), sources: core.sources })
}

/// Returns the cache slot of a program. The key combines `program`, the options, the CPU and the compiler's build. `None` without a
/// cache, or if this build of the compiler cannot be identified.
pub(crate) fn slot<'c>(
    cache: Option<&'c DiskCache>,
    options: &Options,
    program: &(impl Hash + ?Sized),
) -> Result<Option<(&'c DiskCache, u128)>, BuildError> {
    let target = compiler::target(options).map_err(BuildError::Target)?;
    let Some(cache) = cache else { return Ok(None) };
    let Some(build) = this_build() else { return Ok(None) };
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(env!("CARGO_PKG_VERSION"));
    fingerprint.add(&build);
    fingerprint.add(options);
    fingerprint.add(&options.scanning());
    fingerprint.add(&target);
    fingerprint.add(program);
    Ok(Some((cache, fingerprint.finish())))
}

/// Returns the length and modification time of the file that contains this code: an executable or a shared library.
fn this_build() -> Option<(u64, u128)> {
    let metadata = this_file()?.metadata().ok()?;
    let age = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), age.as_nanos()))
}

/// Returns the file that contains this code.
#[cfg(unix)]
fn this_file() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let here = this_file as *const () as *const libc::c_void;
    // SAFETY: the address lies in this file; the result is read only after success, and the name lives as long as the file is loaded.
    let name = unsafe {
        if libc::dladdr(here, found.as_mut_ptr()) == 0 {
            return None;
        }
        std::ffi::CStr::from_ptr(found.assume_init().dli_fname)
    };
    let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    // The loader knows an executable by the name it was called with.
    if path.is_absolute() { Some(path.to_path_buf()) } else { std::env::current_exe().ok() }
}

#[cfg(not(unix))]
fn this_file() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

fn kept<T: DeserializeOwned>(cache: &DiskCache, key: u128) -> Result<Option<T>, Refused> {
    let Some(bytes) = cache.get(key)? else { return Ok(None) };
    let kept: Option<Kept<T>> = postcard::from_bytes(&bytes).ok();
    let current = kept.filter(|kept| kept.imported.iter().all(Dependency::is_current));
    Ok(current.map(|kept| kept.made))
}

fn keep(cache: &DiskCache, key: u128, entry: &impl Serialize) -> Result<(), String> {
    let bytes = postcard::to_stdvec(entry).map_err(|error| error.to_string())?;
    cache.put(key, &bytes).map_err(|error| format!("{}: {error}", cache.folder().display()))
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Source(error) => error.fmt(f),
            BuildError::Target(message) => f.write_str(message),
            BuildError::Failure { failure, sources } => {
                f.write_str(&warpwise_diag::render_failure(sources, failure, false))
            }
        }
    }
}

impl std::error::Error for BuildError {}
