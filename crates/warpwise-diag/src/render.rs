//! Diagnostics rendered as text for people, with the source lines they refer to.
//!
//! ```text
//! error[E0102]: unknown name `y`
//!  --> dot.fut:2:5
//!   |
//! 2 |   x + y
//!   |       ^ not bound here
//!   |
//!   = help: did you mean `x`?
//! ```
//!
//! annotate-snippets does the layout. This file only makes every diagnostic acceptable to it: spans are clamped to the text and
//! widened to whole characters, a file that is not in the table counts as no place, and a message whose place is in no file
//! becomes a note. Rendering therefore never fails.
//!
//! Absent on purpose: writing to a terminal, and finding out whether there is one.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::failure::Failure;
use crate::span::{FileId, Sources, Span};

/// Renders diagnostics in the given order, with a blank line between them and a line break at the end. Without diagnostics the
/// result is empty.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let texts: Vec<String> = diagnostics.iter().map(|d| renderer.render(&[group(sources, d)])).collect();
    if texts.is_empty() { String::new() } else { texts.join("\n\n") + "\n" }
}

/// Renders any failure: see [`Failure::diagnostics`].
pub fn render_failure(sources: &Sources, failure: &Failure, color: bool) -> String {
    render(sources, &failure.diagnostics(), color)
}

/// A place ready to be drawn: a range of a file's text, on character boundaries.
struct Mark<'a> {
    file: FileId,
    range: Range<usize>,
    kind: AnnotationKind,
    text: &'a str,
}

fn group<'a>(sources: &'a Sources, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let (marks, loose) = marks(sources, diagnostic);
    let mut group = Group::with_title(title);
    for file in files_in_order(&marks) {
        group = group.element(snippet(sources, file, &marks));
    }
    for text in loose {
        group = group.element(Level::NOTE.message(text));
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    group
}

/// Splits the messages of a diagnostic: marks for places in known files, and the texts of all others.
fn marks<'a>(sources: &Sources, diagnostic: &'a Diagnostic) -> (Vec<Mark<'a>>, Vec<&'a str>) {
    let primary = (diagnostic.span, AnnotationKind::Primary, diagnostic.at.as_str());
    let others = diagnostic.labels.iter().map(|l| (l.span, AnnotationKind::Context, l.message.as_str()));
    let (mut marks, mut loose) = (Vec::new(), Vec::new());
    for (span, kind, text) in std::iter::once(primary).chain(others) {
        match sources.clamp(span) {
            Some(range) => marks.push(Mark { file: span.file, range, kind, text }),
            None if text.is_empty() => {}
            None => loose.push(text),
        }
    }
    (marks, loose)
}

fn files_in_order(marks: &[Mark<'_>]) -> Vec<FileId> {
    let mut files: Vec<FileId> = Vec::new();
    for mark in marks {
        if !files.contains(&mark.file) {
            files.push(mark.file);
        }
    }
    files
}

/// Returns the part of a file from its first to its last marked line, with annotations.
fn snippet<'a>(sources: &'a Sources, file: FileId, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let text = sources.text(file);
    let here: Vec<&Mark> = marks.iter().filter(|m| m.file == file).collect();
    let first = here.iter().map(|m| m.range.start).min().unwrap_or(0);
    let last = here.iter().map(|m| m.range.end).max().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |i| i + 1);
    let end = text[last..].find('\n').map_or(text.len(), |i| last + i + 1);
    let line = sources.position(file, start as u32).line as usize;
    let annotations = here.into_iter().map(|mark| {
        let label = (!mark.text.is_empty()).then_some(mark.text);
        mark.kind.span(mark.range.start - start..mark.range.end - start).label(label)
    });
    Snippet::source(&text[start..end]).line_start(line).path(sources.name(file)).annotations(annotations)
}

impl Sources {
    /// Clamps a span to the text and widens it to whole characters. `None` if the file does not exist.
    pub(crate) fn clamp(&self, span: Span) -> Option<Range<usize>> {
        if !self.contains(span.file) {
            return None;
        }
        let text = self.text(span.file);
        let mut start = (span.start as usize).min(text.len());
        let mut end = (span.end as usize).clamp(start, text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::failure::{Bug, Limit};

    const SOURCE: &str = "def f (x: i32) =\n  x + y\n\nentry main = f true\n";

    fn span(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    fn one(text: &str) -> (Sources, FileId) {
        let mut sources = Sources::new();
        let file = sources.add("dot.fut", text);
        (sources, file)
    }

    #[test]
    fn shows_the_place_its_label_and_the_hint() {
        let (sources, file) = one(SOURCE);
        let diagnostic = Diagnostic::error("E0102", span(file, 23, 24), "unknown name `y`")
            .at("not bound here")
            .hint("did you mean `x`?");
        let expected = "\
error[E0102]: unknown name `y`
 --> dot.fut:2:7
  |
2 |   x + y
  |       ^ not bound here
  |
  = help: did you mean `x`?
";
        assert_eq!(render(&sources, &[diagnostic], false), expected);
    }

    #[test]
    fn shows_several_places_files_and_warnings() {
        let (mut sources, file) = one(SOURCE);
        let other = sources.add("lib.fut", "\r\n\tdef g = 1\r\n");
        let diagnostics = [
            Diagnostic::error("E0200", span(file, 41, 45), "expected i32, found bool")
                .label(span(file, 7, 13), "the parameter")
                .label(span(other, 7, 8), "and here")
                .label(Span::NONE, "made by the compiler"),
            Diagnostic::warning("W0001", Span::NONE, "odd"),
        ];
        let expected = "\
error[E0200]: expected i32, found bool
 --> dot.fut:4:16
  |
1 | def f (x: i32) =
  |        ------ the parameter
...
4 | entry main = f true
  |                ^^^^
  |
 ::: lib.fut:2:6
  |
2 |     def g = 1
  |         - and here
  |
  = note: made by the compiler

warning[W0001]: odd
";
        assert_eq!(render(&sources, &diagnostics, false), expected);
        assert!(render(&sources, &diagnostics, true).contains("\u{1b}["));
        assert_eq!(render(&sources, &[], false), "");
    }

    #[test]
    fn limits_and_bugs_are_errors_of_their_own_kind() {
        let (sources, file) = one(SOURCE);
        let limit = Failure::Limit(Limit { message: "modules".into(), span: span(file, 0, 3) });
        let text = render_failure(&sources, &limit, false);
        assert!(text.starts_with("error[limit]: not supported yet: modules\n --> dot.fut:1:1\n"), "{text}");
        let bug = Failure::Bug(Bug { pass: "fuse".into(), message: "x is unbound".into(), ir: "...".into() });
        let text = render_failure(&sources, &bug, false);
        assert!(text.starts_with("error[bug]: internal error after pass `fuse`: x is unbound\n"), "{text}");
    }

    #[test]
    fn places_outside_the_text_are_cut_to_it() {
        let (sources, file) = one("");
        let text = render(&sources, &[Diagnostic::error("E0001", span(file, 7, 3), "empty")], false);
        assert!(text.contains("dot.fut:1:1"), "{text}");
        let (sources, file) = one("é\n");
        let text = render(&sources, &[Diagnostic::error("E0001", span(file, 1, 900), "half")], false);
        assert!(text.contains("dot.fut:1:1"), "{text}");
        let elsewhere = span(FileId(5), 0, 1);
        let text = render(&sources, &[Diagnostic::error("E0001", elsewhere, "lost").at("said")], false);
        assert_eq!(text, "error[E0001]: lost\n |\n = note: said\n");
    }

    proptest! {
        #[test]
        fn never_panics(
            text in r"([a-z(]|\t|\r|\n|\r\n|é|漢|😀|\u{301}|\u{200b}|\u{202e}|\u{0}|\u{1b}\[1m){0,24}",
            places in prop::collection::vec((0u32..60, 0u32..60, 0u32..3, r"(\PC|\n|\r|\t){0,6}"), 1..5),
            message in r"(\PC|\n|\r|\t){0,12}",
            color: bool,
        ) {
            let (mut sources, _) = one(&text);
            sources.add("again.fut", text.repeat(2));
            let mut spans = places.iter().map(|&(a, b, file, _)| span(FileId(file), a, b));
            let primary = spans.next().unwrap_or(Span::NONE);
            let mut diagnostic = Diagnostic::error("E0001", primary, message).at(places[0].3.as_str());
            for (place, (.., label)) in spans.zip(&places[1..]) {
                diagnostic = diagnostic.label(place, label.as_str()).hint(label.as_str());
            }
            prop_assert!(render(&sources, &[diagnostic], color).contains("E0001"));
        }
    }
}
