//! From a compiled program to files: writes what is linked into a folder of its own, and calls the system's C compiler.
//!
//! A library's object code is made one file first, in which nothing but the library's own functions can be seen: its kernels and its run
//! time do not clash with those of others in the same program.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use warpwise_driver::standalone::Standalone;
use warpwise_runtime::formats::whole::WholeFile;
use warpwise_standalone::interface::Interface;

use crate::api::Api;
use crate::c_code::{Role, c_code, image_file};
use crate::header::header;
use crate::manifest::manifest;
use crate::source::source;

/// The run time of programs that stand alone.
const RUN_TIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.o"));

/// What compiled programs call: vector mathematics, mathematics, and what they call. All is found when the program starts: a kernel that
/// is left because its run is cancelled must not be looking for a function.
const LIBRARIES: &[&str] = &["-Wl,-z,now", "-Wl,--as-needed", "-lmvec", "-lm", "-lpthread", "-ldl"];

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
    /// A tool of the system is missing or failed.
    Tool(String),
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
        let mut link = self.tool("cc");
        link.args(["-pie", "-Wl,--gc-sections", "-o", "program"]).args(objects).args(LIBRARIES);
        run(link)?;
        self.place(&[("program", path.to_path_buf())])
    }

    fn library(&self, path: &Path, api: Api) -> Result<Vec<PathBuf>, ExportError> {
        let objects = self.objects(Role::Library(api))?;
        let mut merge = self.tool("cc");
        merge.args(["-r", "-nostdlib", "-o", "library.o"]).args(objects);
        run(merge)?;
        let mut hide = self.tool("objcopy");
        hide.args(["--wildcard", "--keep-global-symbol=futhark_*", "library.o"]);
        run(hide)?;
        let mut link = self.tool("cc");
        let name = name_of(path);
        link.args(["-shared", "-o", "library.so", &format!("-Wl,-soname,lib{name}.so"), "library.o"]);
        link.args(["-Wl,--gc-sections", "-Wl,-z,defs"]).args(LIBRARIES);
        run(link)?;
        let mut archive = self.tool("ar");
        archive.args(["crs", "library.a", "library.o"]);
        run(archive)?;
        let manifest = format!("{:#}\n", manifest(self.interface, api));
        written(&self.folder.join("library.h"), header(self.interface, api).as_bytes())?;
        written(&self.folder.join("library.json"), manifest.as_bytes())?;
        let shared_object = self.folder.join("library.so");
        let bytes = fs::read(&shared_object).map_err(|error| ExportError::File(shared_object, error))?;
        written(&self.folder.join("library.c"), source(self.interface, api, &bytes).as_bytes())?;
        let made = ["library.so", "library.a", "library.h", "library.json", "library.c"];
        self.place(&made.into_iter().zip(Form::Library(api).files(path)).collect::<Vec<_>>())
    }

    /// Writes all object files; gives their names.
    fn objects(&self, role: Role) -> Result<Vec<String>, ExportError> {
        let mut names = vec!["program.o".to_string(), "runtime.o".to_string()];
        written(&self.folder.join("runtime.o"), RUN_TIME)?;
        written(&self.folder.join("program.c"), c_code(self.program, self.interface, role).as_bytes())?;
        for (number, variant) in self.program.variants.iter().enumerate() {
            written(&self.folder.join(image_file(number)), &variant.image)?;
            for (part, object) in variant.objects.iter().enumerate() {
                let name = format!("kernels{number}_{part}.o");
                written(&self.folder.join(&name), object)?;
                names.push(name);
            }
        }
        let mut compile = self.tool("cc");
        compile.args([
            "-std=gnu11",
            "-O2",
            "-fPIC",
            "-fvisibility=hidden",
            "-w",
            "-c",
            "program.c",
            "-o",
            "program.o",
        ]);
        run(compile)?;
        Ok(names)
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(self.folder);
        command
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

fn run(mut command: Command) -> Result<(), ExportError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        let hint = "linking needs a C compiler and binutils (on Debian: apt-get install gcc libc6-dev)";
        ExportError::Tool(format!("cannot run `{name}`: {error}; {hint}"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_string();
    Err(ExportError::Tool(format!("`{name}` failed: {words}")))
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::File(path, error) => write!(f, "{}: cannot write: {error}", path.display()),
            ExportError::Tool(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ExportError {}
