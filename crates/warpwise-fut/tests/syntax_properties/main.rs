//! Properties of the parser on every text and every tree: no panic, no overflow of a small stack, and parsing inverts printing.

mod random_trees;

use proptest::prelude::*;
use warpwise_diag::FileId;
use warpwise_fut::syntax::ast::Program;
use warpwise_fut::syntax::parser::{Parsed, parse_program};
use warpwise_fut::syntax::print::print_program;
use warpwise_fut::syntax::session::Session;
use warpwise_fut::testspec::parse_test_spec;

fn parse(text: &str, session: &mut Session) -> Parsed {
    parse_program(FileId(0), text, session)
}

/// Checks that printing and parsing return the same tree.
fn round_trip(program: &Program, session: &mut Session) {
    let printed = print_program(program, &session.names);
    let again = parse(&printed, session);
    assert_eq!(again.errors, [], "{printed}");
    assert_eq!(&again.program, program, "{printed}");
}

/// Parses on a stack of 2 MiB, drops the tree there, and returns the codes of the errors.
fn codes_on_small_stack(text: String) -> Vec<&'static str> {
    let run = move || parse(&text, &mut Session::new()).errors.iter().map(|error| error.code).collect();
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap()
}

#[test]
fn deep_nesting_is_an_error() {
    for (before, open, middle, close) in [
        ("def x = ", "(", "1", ")"),
        ("def x = ", "[", "1", "]"),
        ("def x = ", "(1, ", "1", ")"),
        ("def x = ", "{a = ", "1", "}"),
        ("def x = ", "f(", "1", ")"),
        ("def x = ", "m.(", "1", ")"),
        ("def x = ", "a[", "1", "]"),
        ("def x = ", "- ", "1", ""),
        ("def x = ", "! ", "1", ""),
        ("def x = ", "(+ ", "1", ")"),
        ("def x = ", "x <| ", "1", ""),
        ("def x = ", "\\x -> ", "1", ""),
        ("def x = ", "if x then ", "1", " else 1"),
        ("def x = ", "if ", "x", " then 1 else 1"),
        ("def x = ", "let f x = ", "1", " in 1"),
        ("def x = ", "match x case _ -> ", "1", ""),
        ("def x = ", "loop x = ", "1", " for i < n do 1"),
        ("def x = ", "loop x for i < n do ", "1", ""),
        ("def x = ", "assert true ", "1", ""),
        ("def x = ", "#[a] ", "1", ""),
        ("def x = ", "x with [", "0", "] = 1"),
        ("def x = ", "x : [", "1", "]t"),
        ("def x: ", "(", "t", ")"),
        ("def x: ", "[]", "t", " = 1"),
        ("def x: ", "* ", "t", " = 1"),
        ("def x: ", "t -> ", "t", " = 1"),
        ("def x: ", "?[n].", "t", " = 1"),
        ("def x: ", "#a (", "t", ") = 1"),
        ("def x ", "(", "y", ") = 1"),
        ("def x ", "{a = ", "y", "} = 1"),
        ("def x (", "#[a] ", "y", ") = 1"),
        ("#[", "a(", "1", ")"),
        ("", "local ", "def x = 1", ""),
        ("", "module m = {", "", "}"),
        ("module m = ", "(", "n", ")"),
        ("module m = ", "\\(x: y) -> ", "n", ""),
        ("module type m = ", "(", "n", ")"),
        ("module type m = ", "x -> ", "n", ""),
        ("module type m = ", "{module x: ", "n", "}"),
    ] {
        let text = format!("{before}{}{middle}{}", open.repeat(100_000), close.repeat(100_000));
        let codes = codes_on_small_stack(text);
        assert_eq!(codes.first(), Some(&"E0111"), "{before}{open}");
    }
}

#[test]
fn long_chains_are_errors() {
    for (open, link) in [
        ("def x = 1", " + 1"),
        ("def x = 1", " |> f"),
        ("def x = y", "[0]"),
        ("def x = y", ".0"),
        ("def x = 1", " : t"),
        ("def x = y", " with [0] = 1"),
        ("def x: t", " t"),
        ("module m = n", " n"),
        ("module m = n", ": n"),
        ("module type m = n", " with t = i32"),
    ] {
        let text = format!("{open}{}", link.repeat(100_000));
        assert_eq!(codes_on_small_stack(text), ["E0111"], "{open}{link}");
    }
}

#[test]
fn just_within_the_bounds_is_fine() {
    let levels = 20_000;
    let nested = format!("def x = {}1{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(codes_on_small_stack(nested), [""; 0]);
    let calls = format!("def x = {}1{}", "f [let y = ".repeat(8_000), " in y]".repeat(8_000));
    assert_eq!(codes_on_small_stack(calls), [""; 0]);
    let chain = format!("def x = 1{}", " + 1".repeat(40_000));
    assert_eq!(codes_on_small_stack(chain), [""; 0]);
    let choices = format!("def x = {}1", "if a then b else ".repeat(40_000));
    assert_eq!(codes_on_small_stack(choices), [""; 0]);
}

#[test]
fn flat_sequences_have_no_bound() {
    let n = 100_000;
    for text in [
        format!("def x = {}in y", "let y = f y\n".repeat(n)),
        format!("def x = {}y", "let y = f y in\n".repeat(n)),
        format!("def x = f{}", " y".repeat(n)),
        format!("def x = a{}", ".a".repeat(n)),
        format!("def x = [{}]", "1, ".repeat(n)),
        format!("def x = match y{}", " case 1 -> 2".repeat(n)),
        format!("type t = #a{}", " | #b i32".repeat(n)),
        "def x = 1 ".repeat(n),
        format!("def {} = 1", "x".repeat(1_000_000)),
        format!("def x = \"{}\"", "x".repeat(1_000_000)),
    ] {
        assert_eq!(codes_on_small_stack(text), [""; 0]);
    }
}

#[test]
fn what_is_left_of_a_wrong_file_is_whole() {
    let mut session = Session::new();
    let parsed = parse("-- | The file.\n\n-- | One.\ndef x = )\ndef y = 1", &mut session);
    assert_eq!(parsed.program.decls.len(), 1);
    round_trip(&parsed.program, &mut session);
}

#[test]
fn odd_characters_are_errors() {
    for text in [
        "\0",
        "def x = \u{fffd}",
        "def x = a\u{202e}b",
        "def é = 1",
        "def x = '\u{0}",
        "\"",
        "\\",
        "'",
        "#",
        "`",
    ] {
        let parsed = parse(text, &mut Session::new());
        assert_ne!(parsed.errors, [], "{text:?}");
    }
    let many = "$ ".repeat(100_000);
    assert_eq!(codes_on_small_stack(many).first(), Some(&"E0101"));
    assert_eq!(codes_on_small_stack("def def ".repeat(100_000)).len(), 50);
}

/// Pieces of programs. Tokens that open or join occur more than once.
const PIECES: &[&str] = &[
    "def", "let", "in", "entry", "type", "module", "open", "import", "local", "include", "val", "if", "then",
    "else", "match", "case", "loop", "for", "while", "do", "with", "assert", "true", "x", "y", "f", "m.n",
    "_", "(", ")", "(", ")", "[", "]", "[", "]", "{", "}", "#[", "#c", "=", "=", "=", ":", ":>", "->", ".",
    "..", "...", "..<", "..>", "?", "???", ",", ",", "+", "-", "*", "<", "|", "^", "!", "|>", "<|", "==",
    "m.+", "`", "'", "'~", "'^", "~", "\\", "1", "1.5", "0x1f", "2i8", "'a'", "\"s\"", "-- |", "-- c", "\n",
    "\n", "$", "\0", "é",
];

/// Pieces of test blocks.
const WORDS: &[&str] = &[
    "tags",
    "entry:",
    "error:",
    "property:",
    "warning:",
    "structure",
    "input",
    "output",
    "auto",
    "random",
    "script",
    "nobench",
    "gpu",
    "{",
    "}",
    "{",
    "}",
    "@",
    "\"",
    "[1]",
    "[",
    "i32",
    "2",
    "x.in",
    "\n--",
    "\n-- ==",
    "\n",
    "\\",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        parse(&text, &mut Session::new());
    }

    #[test]
    fn any_test_block_is_read(words in prop::collection::vec((0..WORDS.len(), any::<bool>()), 0..30)) {
        let mut text = "-- ==\n--".to_string();
        for (word, space) in words {
            text.push_str(if space { " " } else { "" });
            text.push_str(WORDS[word]);
        }
        let (Ok(_) | Err(_)) = parse_test_spec(FileId(0), &text);
    }

    #[test]
    fn any_pieces_are_read(pieces in prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..60)) {
        let mut text = String::new();
        for (piece, space) in pieces {
            text.push_str(PIECES[piece]);
            text.push_str(if space { " " } else { "" });
        }
        let mut session = Session::new();
        let parsed = parse(&text, &mut session);
        round_trip(&parsed.program, &mut session);
    }

    #[test]
    fn every_tree_survives_printing(entropy in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut session = Session::new();
        let program = random_trees::program(&entropy, &mut session);
        round_trip(&program, &mut session);
    }
}
