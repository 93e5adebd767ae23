//! Text of the array language in host programs (`inlineFuthark "..."`).
//!
//! The text becomes the body of an entry point in a program of its own, which the front end of the array language compiles. That
//! entry point, with everything it calls, replaces the text. Locations in it are mapped to locations in the string, escapes
//! included.

use std::cell::RefCell;

use warpwise_diag::{
    Bug, Diagnostic, Failure, FileId, Limit, ReadError, SourceFile, SourceProvider, Sources, Span,
};
use warpwise_fut::compile::{Options, compile};
use warpwise_ir::verify::Level;
use warpwise_ir::{Body, Expr, Function};
use warpwise_mexpr::accelerate::lower::ArrayLanguage;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;

/// Name of the programs that are generated from texts.
const NAME: &str = "inlineFuthark";

/// The front end for text in a host program.
pub struct Inline {
    /// Files of the host program, and those of the prelude for each text.
    sources: RefCell<Sources>,
    warnings: RefCell<Vec<Diagnostic>>,
    unchecked: bool,
}

/// A source provider without files.
struct NoFiles;

impl SourceProvider for NoFiles {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(path.to_string()))
    }
}

impl Inline {
    /// Creates the front end for a program with these files.
    pub fn new(sources: &Sources, unchecked: bool) -> Inline {
        let (sources, warnings) = (RefCell::new(sources.clone()), RefCell::default());
        Inline { sources, warnings, unchecked }
    }

    /// Returns all files that spans may refer to, and the warnings about the texts.
    pub fn into_parts(self) -> (Sources, Vec<Diagnostic>) {
        (self.sources.into_inner(), self.warnings.into_inner())
    }
}

impl ArrayLanguage for Inline {
    fn function(
        &self,
        text: &str,
        span: Span,
        parameters: &[String],
        result: &str,
    ) -> Result<Function, Failure> {
        let typed = parameters.iter().enumerate().map(|(index, ty)| format!("(x{index}: {ty}) "));
        let head = format!("entry main {}: {result} =\n  (", typed.collect::<String>());
        let names: String = (0..parameters.len()).map(|index| format!(" x{index}")).collect();
        let program = format!("{head}{text}\n  ){names}\n");
        let mut sources = self.sources.borrow_mut();
        let main = SourceFile { key: NAME.to_string(), name: NAME.to_string(), text: program };
        let compiled = compile(main, &NoFiles, &mut sources, Options { unchecked: self.unchecked });
        let place = Place::of(&sources, text, head.len(), span);
        let mut compiled = compiled.map_err(|failure| place.failure(failure))?;
        let mut warnings = compiled.warnings;
        warnings.iter_mut().for_each(|warning| place.diagnostic(warning));
        self.warnings.borrow_mut().extend(warnings);
        run_passes(&[pipelines::INLINE], &mut compiled.program, Level::Soac, |_, _, _| {})?;
        let entry = compiled.program.entry("main");
        let mut function = match entry {
            Some(entry) => compiled.program.functions[entry].clone(),
            None => {
                let (pass, message) = (NAME.to_string(), "the text has no entry point".to_string());
                return Err(Bug { pass, message, ir: String::new() }.into());
            }
        };
        place.body(&mut function.body);
        Ok(function)
    }
}

/// The mapping of spans from a generated program to the host program.
struct Place {
    /// File of the generated program.
    made: Option<FileId>,
    /// Offset of the text in that file.
    start: usize,
    /// File offset for each byte of the text and for its end, in the host program.
    bytes: Vec<u32>,
    span: Span,
}

impl Place {
    fn of(sources: &Sources, text: &str, start: usize, span: Span) -> Place {
        let files = (0..).map(FileId).take_while(|file| sources.contains(*file));
        let made = files.filter(|file| sources.name(*file) == NAME).last();
        Place { made, start, bytes: bytes(sources, text, span), span }
    }

    fn moved(&self, span: Span) -> Span {
        if Some(span.file) != self.made {
            return span;
        }
        let byte = |byte: u32| self.bytes.get((byte as usize).checked_sub(self.start)?).copied();
        match (byte(span.start), byte(span.end)) {
            (Some(start), Some(end)) => Span { file: self.span.file, start, end },
            _ => self.span,
        }
    }

    fn diagnostic(&self, diagnostic: &mut Diagnostic) {
        diagnostic.span = self.moved(diagnostic.span);
        diagnostic.labels.iter_mut().for_each(|label| label.span = self.moved(label.span));
    }

    fn failure(&self, failure: Failure) -> Failure {
        match failure {
            Failure::User(mut diagnostics) => {
                diagnostics.iter_mut().for_each(|diagnostic| self.diagnostic(diagnostic));
                Failure::User(diagnostics)
            }
            Failure::Limit(Limit { message, span }) => {
                Failure::Limit(Limit { message, span: self.moved(span) })
            }
            Failure::Bug(bug) => Failure::Bug(bug),
        }
    }

    fn body(&self, body: &mut Body) {
        for stm in &mut body.stms {
            stm.span = self.moved(stm.span);
            if let Expr::Assert { message, .. } = &mut stm.expr {
                message.calls.iter_mut().for_each(|call| *call = self.moved(*call));
            }
            stm.expr.for_each_body_mut(|inner| self.body(inner));
        }
    }
}

/// Returns, for each byte of a string's value and for its end, the offset in the file where it was written. The result is empty if the
/// string is not in the file.
fn bytes(sources: &Sources, text: &str, span: Span) -> Vec<u32> {
    let written = sources.contains(span.file).then(|| sources.text(span.file));
    let Some(written) = written.and_then(|all| all.get(span.start as usize + 1..span.end as usize)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = span.start + 1;
    let mut rest = written.chars();
    for value in text.chars() {
        let first = rest.next();
        let is_escape = first == Some('\\');
        let step = u32::from(!is_escape);
        found.extend((0..value.len_utf8() as u32).map(|byte| at + byte * step));
        let second = if is_escape { rest.next() } else { None };
        at += [first, second].into_iter().flatten().map(|char| char.len_utf8() as u32).sum::<u32>();
    }
    found.push(at);
    found
}
