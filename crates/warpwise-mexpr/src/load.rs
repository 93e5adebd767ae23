//! Files and the files they include.
//!
//! [`load`] reads a file and all files it includes, each once, and returns the definitions of all files, a definition before its
//! uses. Of an included file only the definitions are kept: its tests and the expression after `mexpr` are dropped. A
//! [`SourceProvider`] finds the files. The syntax errors of all files are reported together.

use std::collections::HashMap;

pub use warpwise_diag::SourceFile;
use warpwise_diag::{Diagnostic, Failure, FileId, Sources, Span};

use crate::syntax::ast::{Decl, DeclKind, Expr, Include};
use crate::syntax::names::Names;
use crate::syntax::parser::parse_program;

/// The reason why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The file is in none of these places.
    NotFound(Vec<String>),
    /// No library has this name.
    NoLibrary(String),
    /// The path can mean both of these files.
    Ambiguous(String, String),
    /// The file exists, but cannot be read.
    Unreadable(String),
}

/// Finds files.
pub trait SourceProvider {
    /// Reads the file that the one with the key `including` calls `path`.
    fn read(&self, including: &str, path: &str) -> Result<SourceFile, ReadError>;
}

/// A program with the definitions of all its files.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All definitions, and the tests of the program's own file.
    pub decls: Vec<Decl>,
    /// The expression that the program computes.
    pub main: Option<Expr>,
    /// The program's own file.
    pub file: FileId,
}

/// Maximum nesting depth of includes; no program is expected to need more.
const DEEPEST: usize = 200;

/// Reads a program.
pub fn load(
    root: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
    names: &mut Names,
) -> Result<Loaded, Failure> {
    let mut loader = Loader {
        provider,
        sources,
        names,
        state: HashMap::new(),
        open: Vec::new(),
        decls: Vec::new(),
        errors: Vec::new(),
    };
    let (file, main) = loader.file(root, true);
    if loader.errors.is_empty() {
        Ok(Loaded { decls: loader.decls, main, file })
    } else {
        Err(Failure::User(loader.errors))
    }
}

struct Loader<'a> {
    provider: &'a dyn SourceProvider,
    sources: &'a mut Sources,
    names: &'a mut Names,
    /// State of the files met so far, by key: whether the whole file has been read.
    state: HashMap<String, bool>,
    /// The includes that are open: the key of the including file, and the position of the `include`.
    open: Vec<(String, Span)>,
    decls: Vec<Decl>,
    errors: Vec<Diagnostic>,
}

impl Loader<'_> {
    fn file(&mut self, source: SourceFile, is_root: bool) -> (FileId, Option<Expr>) {
        let file = self.sources.add(source.name, source.text.clone());
        self.state.insert(source.key.clone(), false);
        let mut parsed = parse_program(file, &source.text, self.names);
        self.errors.extend(parsed.errors);
        for include in &parsed.program.includes {
            self.include(&source.key, include);
        }
        let kept = |decl: &Decl| is_root || !matches!(decl.kind, DeclKind::Utest(_));
        self.decls.extend(std::mem::take(&mut parsed.program.decls).into_iter().filter(kept));
        self.state.insert(source.key, true);
        (file, parsed.program.main.take())
    }

    fn include(&mut self, including: &str, include: &Include) {
        let found = match self.provider.read(including, &include.path) {
            Ok(found) => found,
            Err(error) => return self.errors.push(complain(include, &error)),
        };
        match self.state.get(&found.key) {
            Some(true) => {}
            Some(false) => self.cycle(including, include, &found),
            None if self.open.len() == DEEPEST => {
                let message = format!("files include each other more than {DEEPEST} levels deep");
                self.errors.push(Diagnostic::error("M0132", include.span, message));
            }
            None => {
                self.open.push((including.to_string(), include.span));
                self.file(found, false);
                self.open.pop();
            }
        }
    }

    fn cycle(&mut self, including: &str, include: &Include, found: &SourceFile) {
        let message = format!("`{}` is included by what it includes", found.name);
        let mut error = Diagnostic::error("M0131", include.span, message);
        if found.key == including {
            error.message = format!("`{}` includes itself", found.name);
        }
        let first = self.open.iter().position(|(key, _)| *key == found.key).unwrap_or(self.open.len());
        for (_, span) in &self.open[first..] {
            error = error.label(*span, "by way of this");
        }
        self.errors.push(error.hint("move what both files need into a file of its own"));
    }
}

fn complain(include: &Include, error: &ReadError) -> Diagnostic {
    let path = &include.path;
    match error {
        ReadError::NotFound(places) => {
            let mut message = Diagnostic::error("M0130", include.span, format!("there is no file `{path}`"));
            for place in places {
                message = message.hint(format!("looked for {place}"));
            }
            message
        }
        ReadError::NoLibrary(name) => {
            Diagnostic::error("M0134", include.span, format!("there is no library `{name}`"))
                .hint(format!("say where it is: `MCORE_LIBS={name}=FOLDER` in the environment"))
        }
        ReadError::Ambiguous(first, second) => {
            Diagnostic::error("M0133", include.span, format!("`{path}` can mean two files"))
                .hint(format!("they are {first} and {second}"))
                .hint("a path that starts with `./` is beside the including file")
        }
        ReadError::Unreadable(why) => {
            Diagnostic::error("M0130", include.span, format!("cannot read `{path}`: {why}"))
        }
    }
}
