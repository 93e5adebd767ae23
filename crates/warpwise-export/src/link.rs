//! Linking of a compiled program: writes the linker's inputs to a temporary folder, and links them.
//!
//! A library's object code is first linked to one object file in which only the library's own functions are visible: its kernels
//! and its runtime do not clash with those of other libraries in the same program.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use warpwise_cpu::linker::{self, LinkError};
use warpwise_driver::standalone::Standalone;
use warpwise_runtime::formats::whole::WholeFile;
use warpwise_standalone::interface::{Interface, Naming};

use crate::api::Api;
use crate::glue::{Role, glue};
use crate::header::header;
use crate::manifest::manifest;
use crate::source::source;
use crate::system::System;

/// The runtime of standalone programs, as an object file.
const RUN_TIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.o"));

/// Linker options of executables and shared objects. All called functions are resolved at startup: a kernel that is abandoned
/// because its run is cancelled must not be in the middle of a lookup.
const LOADED: &[&str] = &["--gc-sections", "--eh-frame-hdr", "--hash-style=gnu", "-z", "now", "-z", "defs"];

/// Kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// An executable.
    Executable,
    /// An executable that is a server by default.
    Server,
    /// A shared object, a static library, a header, a manifest, and a single C file with the whole library.
    Library(Api),
}

impl Form {
    /// Returns the paths of the output files.
    pub fn files(self, path: &Path) -> Vec<PathBuf> {
        let name = name_of(path);
        match self {
            Form::Executable | Form::Server => vec![path.to_path_buf()],
            Form::Library(_) => {
                let library = [format!("lib{name}.so"), format!("lib{name}.a")];
                let texts = ["h", "json", "c"].map(|ending| format!("{name}.{ending}"));
                library.iter().chain(&texts).map(|name| path.with_file_name(name)).collect()
            }
        }
    }
}

/// Reason why the export failed.
#[derive(Debug)]
pub enum ExportError {
    /// A file could not be written.
    File(PathBuf, io::Error),
    /// The program could not be linked.
    Link(String),
}

/// Exports a program as files in one folder: `name` for an executable; `name.h`, `libname.so`, `libname.a`, `name.json` and
/// `name.c` for a library. Returns their paths. The files get their final names when all are complete; until then, and if one
/// cannot be made, existing files stay.
pub fn export(program: &Standalone, form: Form, path: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let naming = match form {
        Form::Executable | Form::Server => Naming::default(),
        Form::Library(api) => api.naming(),
    };
    let interface = Interface::of(program.entries.iter().map(|entry| &entry.point), naming);
    let folder = tempfile::tempdir().map_err(|error| ExportError::File(std::env::temp_dir(), error))?;
    let work = Work { folder: folder.path(), program, interface: &interface };
    match form {
        Form::Executable => work.executable(path, false),
        Form::Server => work.executable(path, true),
        Form::Library(api) => work.library(path, api),
    }
}

struct Work<'w> {
    folder: &'w Path,
    program: &'w Standalone,
    interface: &'w Interface,
}

impl Work<'_> {
    fn executable(&self, path: &Path, server: bool) -> Result<Vec<PathBuf>, ExportError> {
        let objects = self.objects(Role::Executable { server })?;
        let System { loader, libraries } = System::of_this_machine().map_err(ExportError::Link)?;
        let mut words = vec!["-pie".as_ref(), "--dynamic-linker".as_ref(), loader.as_os_str()];
        words.extend(objects.iter().map(|path| path.as_os_str()));
        self.link("program", &words, &libraries)?;
        self.place(&[("program", path.to_path_buf())])
    }

    fn library(&self, path: &Path, api: Api) -> Result<Vec<PathBuf>, ExportError> {
        let objects = self.objects(Role::Library(api))?;
        let [object, archive] = ["library.o", "library.a"].map(|name| self.folder.join(name));
        let mut words = vec!["-r".as_ref(), "-o".as_ref(), object.as_os_str()];
        words.extend(objects.iter().map(|path| path.as_os_str()));
        linker::link(&words)?;
        linker::keep_global(&object, "futhark_")?;
        linker::archive(&archive, &object)?;
        let System { loader, mut libraries } = System::of_this_machine().map_err(ExportError::Link)?;
        // The loader resolves thread-local variables.
        libraries.push(loader);
        let soname = format!("lib{}.so", name_of(path));
        let words = ["-shared".as_ref(), object.as_os_str(), "-soname".as_ref(), soname.as_ref()];
        self.link("library.so", &words, &libraries)?;
        self.link("nameless.so", &words[..2], &libraries)?;
        let manifest = format!("{:#}\n", manifest(self.interface, api));
        written(&self.folder.join("library.h"), header(self.interface, api).as_bytes())?;
        written(&self.folder.join("library.json"), manifest.as_bytes())?;
        let shared_object = self.folder.join("nameless.so");
        let bytes = fs::read(&shared_object).map_err(|error| ExportError::File(shared_object, error))?;
        written(&self.folder.join("library.c"), source(self.interface, api, &bytes).as_bytes())?;
        let made = ["library.so", "library.a", "library.h", "library.json", "library.c"];
        self.place(&made.into_iter().zip(Form::Library(api).files(path)).collect::<Vec<_>>())
    }

    /// Links an executable or a shared object.
    fn link(&self, name: &str, words: &[&OsStr], libraries: &[PathBuf]) -> Result<(), ExportError> {
        let result = self.folder.join(name);
        let mut all: Vec<&OsStr> = LOADED.iter().map(OsStr::new).collect();
        all.extend(["-o".as_ref(), result.as_os_str()]);
        all.extend(words);
        all.push("--as-needed".as_ref());
        all.extend(libraries.iter().map(|path| path.as_os_str()));
        Ok(linker::link(&all)?)
    }

    /// Writes all object files. Returns their paths.
    fn objects(&self, role: Role) -> Result<Vec<PathBuf>, ExportError> {
        let glue = warpwise_cpu::compile_ir(glue(self.program, self.interface, role))
            .map_err(|bug| ExportError::Link(bug.message))?;
        let mut paths = vec![self.object("program.o", &glue)?, self.object("runtime.o", RUN_TIME)?];
        for (number, variant) in self.program.variants.iter().enumerate() {
            for (part, object) in variant.objects.iter().enumerate() {
                paths.push(self.object(&format!("kernels{number}_{part}.o"), object)?);
            }
        }
        Ok(paths)
    }

    fn object(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, ExportError> {
        written(&self.folder.join(name), bytes)
    }

    /// Moves finished files to their destinations.
    fn place(&self, made: &[(&str, PathBuf)]) -> Result<Vec<PathBuf>, ExportError> {
        let mut copies = Vec::new();
        for (name, path) in made {
            let failed = |error| ExportError::File(path.clone(), error);
            copies.push((self.copy(name, path).map_err(failed)?, path));
        }
        for (copy, path) in copies {
            copy.complete().map_err(|error| ExportError::File(path.clone(), error))?;
        }
        Ok(made.iter().map(|(_, path)| path.clone()).collect())
    }

    /// Copies a finished file to a temporary file beside its destination, with its permissions. A running executable cannot be
    /// overwritten, but it can be replaced.
    fn copy(&self, name: &str, path: &Path) -> io::Result<WholeFile> {
        let mut made = fs::File::open(self.folder.join(name))?;
        let mut copy = WholeFile::create(path)?;
        io::copy(&mut made, &mut copy)?;
        copy.flush()?;
        copy.set_permissions(made.metadata()?.permissions())?;
        Ok(copy)
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}

fn written(path: &Path, bytes: &[u8]) -> Result<PathBuf, ExportError> {
    fs::write(path, bytes).map_err(|error| ExportError::File(path.to_path_buf(), error))?;
    Ok(path.to_path_buf())
}

impl From<LinkError> for ExportError {
    fn from(error: LinkError) -> ExportError {
        ExportError::Link(error.0)
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::File(path, error) => write!(f, "{}: cannot write: {error}", path.display()),
            ExportError::Link(message) => write!(f, "cannot link: {message}"),
        }
    }
}

impl std::error::Error for ExportError {}
