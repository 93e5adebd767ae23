//! What the codes of messages mean: the sections of `errors.md`.
//!
//! The examples there are compiled by `tests/explain.rs`, which also looks for codes without a section.

/// All sections, as Markdown.
const ERRORS: &str = include_str!("../errors.md");

/// The codes that are explained, in order.
pub fn codes() -> impl Iterator<Item = &'static str> {
    sections().filter_map(|section| section.split_once(':')).map(|(code, _)| code)
}

/// What a code means, as Markdown without the mark of the heading.
pub fn explain(code: &str) -> Option<&'static str> {
    let belongs =
        |section: &&str| section.split_once(':').is_some_and(|(other, _)| other.eq_ignore_ascii_case(code));
    sections().find(belongs).map(str::trim_end)
}

fn sections() -> impl Iterator<Item = &'static str> {
    ERRORS.split("\n## ").skip(1)
}
