//! From a compiled program to files: writes what is linked into a folder of its own, and links it.
//!
//! A library's object code is made one file first, in which nothing but the library's own functions can be seen: its kernels and its run
//! time do not clash with those of others in the same program.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use warpwise_cpu::linker::{self, LinkError};
use warpwise_driver::standalone::Standalone;
use warpwise_runtime::formats::whole::WholeFile;
use warpwise_standalone::interface::Interface;

use crate::api::Api;
use crate::glue::{Role, glue};
use crate::header::header;
use crate::manifest::manifest;
use crate::source::source;
use crate::system::System;

/// The run time of programs that stand alone.
const RUN_TIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.o"));

/// How executables and shared objects are linked. All that they call is found when the program starts: a kernel that is left because its run
/// is cancelled must not be looking for a function.
const LOADED: &[&str] = &["--gc-sections", "--eh-frame-hdr", "--hash-style=gnu", "-z", "now", "-z", "defs"];

/// What is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// An executable.
    Executable,
    /// An executable that is a server unless told otherwise.
    Server,
    /// A shared object, a static library, a header, a manifest, and all of it as one C file.
    Library(Api),
}

impl Form {
    /// What is made for a name.
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

/// Why nothing was made.
#[derive(Debug)]
pub enum ExportError {
    /// A file cannot be written.
    File(PathBuf, io::Error),
    /// It cannot be linked.
    Link(String),
}

/// Makes files of a program, beside each other: `name` for an executable, `name.h`, `libname.so`, `libname.a`, `name.json` and `name.c` for a
/// library. Gives their paths. They get their names when all are made; before, and if one cannot be, what was there stays.
pub fn export(program: &Standalone, form: Form, path: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let interface = Interface::of(program.entries.iter().map(|entry| &entry.point));
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
        // Variables of threads are found by the loader.
        libraries.push(loader);
        let soname = format!("lib{}.so", name_of(path));
        let words = ["-shared".as_ref(), "-soname".as_ref(), soname.as_ref(), object.as_os_str()];
        self.link("library.so", &words, &libraries)?;
        let manifest = format!("{:#}\n", manifest(self.interface, api));
        written(&self.folder.join("library.h"), header(self.interface, api).as_bytes())?;
        written(&self.folder.join("library.json"), manifest.as_bytes())?;
        let shared_object = self.folder.join("library.so");
        let bytes = fs::read(&shared_object).map_err(|error| ExportError::File(shared_object, error))?;
        written(&self.folder.join("library.c"), source(self.interface, api, &bytes).as_bytes())?;
        let made = ["library.so", "library.a", "library.h", "library.json", "library.c"];
        self.place(&made.into_iter().zip(Form::Library(api).files(path)).collect::<Vec<_>>())
    }

    /// Links what the loader is to load.
    fn link(&self, name: &str, words: &[&OsStr], libraries: &[PathBuf]) -> Result<(), ExportError> {
        let result = self.folder.join(name);
        let mut all: Vec<&OsStr> = LOADED.iter().map(OsStr::new).collect();
        all.extend(["-o".as_ref(), result.as_os_str()]);
        all.extend(words);
        all.push("--as-needed".as_ref());
        all.extend(libraries.iter().map(|path| path.as_os_str()));
        Ok(linker::link(&all)?)
    }

    /// Writes all object files; gives their paths.
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

    /// Puts files that were made to their places.
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

    /// A copy of a file that was made beside its place, with its permissions. What is running cannot be written to, but replaced.
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
