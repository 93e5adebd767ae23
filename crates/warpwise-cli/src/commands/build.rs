//! `warpwise build`: programs as files that need no compiler.
//!
//! ```text
//! warpwise build p.fut                     p, an executable
//! warpwise build p.fut --server -o q       q, a server
//! warpwise build p.fut --library           libp.so, libp.a, p.h, p.json, p.c
//! ```

use std::path::PathBuf;

use clap::Args;
use warpwise_driver::build::build_standalone;
use warpwise_export::{Api, Form, export};
use warpwise_runtime::formats::whole::Place;

use crate::commands::host::refuse_host_program;
use crate::failure::Failure;
use crate::options::CompileOptions;
use crate::output::{Progress, say};

/// What to build.
#[derive(Args, Debug)]
pub struct BuildArguments {
    /// The program
    file: PathBuf,
    /// Name of the result, instead of the program's name without its ending
    #[arg(short, long, value_name = "NAME")]
    output: Option<PathBuf>,
    /// Build a shared object, a static library, a C header, a manifest, and all of it as one C file
    #[arg(long, conflicts_with = "server")]
    library: bool,
    /// Version of Futhark whose C interface the library has, where they differ: in 0.25, functions have one result per tuple
    /// component, in 0.26 one tuple
    #[arg(long, value_name = "VERSION", default_value = "0.26", requires = "library")]
    api: Api,
    /// Build a server that takes commands from standard input
    #[arg(long)]
    server: bool,
    /// Build code for every processor, selected at start, instead of for this one
    #[arg(long, conflicts_with = "vector_width")]
    portable: bool,
    #[command(flatten)]
    compile: CompileOptions,
}

/// Compiles and links the program.
pub fn build(arguments: &BuildArguments) -> Result<u8, Failure> {
    refuse_host_program(&arguments.file)?;
    let progress = Progress::of(format!("building {}", arguments.file.display()));
    let built = build_standalone(&arguments.file, &arguments.compile.options(), arguments.portable)?;
    let form = match arguments {
        BuildArguments { library: true, .. } => Form::Library(arguments.api),
        BuildArguments { server: true, .. } => Form::Server,
        BuildArguments { .. } => Form::Executable,
    };
    let path = arguments.output.clone().unwrap_or_else(|| arguments.file.with_extension(""));
    let is_program = |path: &PathBuf| {
        path == &arguments.file
            || Place::of(path).is_some_and(|place| Some(place) == Place::of(&arguments.file))
    };
    if let Some(path) = form.files(&path).iter().find(|path| is_program(path)) {
        let message = format!("{}: this is the program itself; name the result with -o", path.display());
        return Err(Failure::Failed(message));
    }
    let made = export(&built.program, form, &path);
    drop(progress);
    if !built.warnings.is_empty() {
        say(built.warnings.trim_end());
    }
    made.map_err(|error| Failure::Failed(error.to_string()))?;
    Ok(0)
}
