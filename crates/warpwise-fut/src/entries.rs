//! Declarations and comments of a file's entry points, for tools that show them.
//!
//! This is source text. The types of parameters and results are known only after checking
//! ([`EntryPoint`](warpwise_ir::EntryPoint)).

use warpwise_diag::FileId;

use crate::syntax::ast::{Decl, DeclKind};
use crate::syntax::parser::parse_program;
use crate::syntax::session::Session;

/// An entry point as declared in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// The declaration without its right-hand side and without `entry`, on one line: `dot [n] (xs: [n]f32) (ys: [n]f32) : f32`.
    pub signature: String,
    /// Text of the documentation comment before it, without comment marks; empty if there is none.
    pub doc: String,
}

/// Returns the entry points that a file declares, in order. If the file cannot be parsed, returns those that the parser
/// recognises.
pub fn declared(text: &str) -> Vec<Declared> {
    let mut session = Session::new();
    let parsed = parse_program(FileId(0), text, &mut session);
    parsed.program.decls.iter().filter_map(|decl| entry(decl, text, &session)).collect()
}

fn entry(decl: &Decl, text: &str, session: &Session) -> Option<Declared> {
    let value = match &decl.kind {
        DeclKind::Value(value) if value.entry => value,
        DeclKind::Local(inner) => return entry(inner, text, session),
        _ => return None,
    };
    let (start, end) = (value.name.name.span.start as usize, value.body.span.start as usize);
    let written = text.get(start..end)?.trim_end();
    let words: Vec<&str> =
        written.strip_suffix('=').unwrap_or(written).lines().map(without_comment).collect();
    Some(Declared {
        name: session.names.text(value.name.name.symbol).to_string(),
        signature: words.join(" ").split_whitespace().collect::<Vec<_>>().join(" "),
        doc: decl.doc.as_ref().map(|doc| doc.text.trim().to_string()).unwrap_or_default(),
    })
}

fn without_comment(line: &str) -> &str {
    line.split("--").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_come_with_their_comments() {
        let text = "-- | The sum\n-- of products.\nentry dot [n] (xs: [n]f32) -- left\n  (ys: [n]f32) : f32 =\n  f32.sum (map2 (*) xs ys)\n\
                    def helper x = x\nentry one = 1i32\n";
        let found = declared(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].signature, "dot [n] (xs: [n]f32) (ys: [n]f32) : f32");
        assert_eq!(found[0].doc, "The sum\nof products.");
        assert_eq!(
            (found[1].name.as_str(), found[1].signature.as_str(), found[1].doc.as_str()),
            ("one", "one", "")
        );
        assert!(declared("entry (").is_empty());
    }
}
