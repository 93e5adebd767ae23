//! Files of `tests/text` print exactly as they are written.

use std::path::Path;

use warpwise_diag::{Failure, FileId};
use warpwise_ir::parse::parse;

#[test]
fn files_print_as_they_are_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/text");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let printed = match parse(&text, FileId(0)) {
            Ok(program) => program.to_string(),
            Err(failure) => panic!("{}: {:?}", path.display(), failure.diagnostics()),
        };
        let again = parse(&printed, FileId(0)).unwrap().to_string();
        assert_eq!(again, printed, "{}", path.display());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &printed).unwrap();
        } else {
            assert_eq!(printed, text, "{}", path.display());
        }
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn one_name_in_two_scopes_is_two_variables() {
    let text = "fun f(x: i32) -> (y: i32) {
        y: i32 = if true { x: i32 = neg x; return x } else { x: i32 = not x; return x };
        return y
    }";
    let expected = "fun f(x: i32) -> (y: i32) {
  y: i32 = if true { x_1: i32 = neg x; return x_1 } else { x_2: i32 = not x; return x_2 };
  return y
}
";
    let printed = parse(text, FileId(0)).unwrap().to_string();
    assert_eq!(printed, expected);
}

#[test]
fn every_float_survives() {
    let values = [
        "0f32",
        "-0f32",
        "0.1f64",
        "1e-45f32",
        "65504f16",
        "6e-8f16",
        "f16.nan",
        "-f16.inf",
        "123456789012345680000f64",
    ];
    for value in values {
        let text =
            |value: &str| format!("fun f() -> (x: {}) {{\n  x: {0} = {value};\n  return x\n}}\n", ty(value));
        let once = parse(&text(value), FileId(0)).unwrap();
        let twice = parse(&once.to_string(), FileId(0)).unwrap();
        let function = |p: &warpwise_ir::Program| p.functions.values().next().unwrap().body.clone();
        assert_eq!(function(&once).stms[0].expr, function(&twice).stms[0].expr, "{value}");
    }
}

/// Returns the type of a float constant.
fn ty(value: &str) -> &str {
    ["f16", "f32", "f64"].into_iter().find(|ty| value.contains(ty)).unwrap()
}

#[test]
fn wrong_texts_are_errors_at_their_place() {
    let cases = [
        ("fun f(m: mem, a: [2]i32 @ m -> 0 + {(2 : s)}) -> () { return }", "s)}", "`s` is not in scope"),
        ("fun f() -> () { return }}", "}", "expected `fun` or `entry`, found `}`"),
        ("fun f() -> () { x: i32 = neg y; return }", "y;", "`y` is not in scope"),
        ("fun f() -> () { x: i32 = neg x; return }", "x;", "`x` is not in scope"),
        (
            "fun f() -> () { x: i8 = 3000i8; return }",
            "3000i8",
            "`3000i8` is no constant, or does not fit its type",
        ),
        (
            "fun f() -> () { add: i8 = 3i8; return }",
            "add",
            "`add` is a reserved word, no variable can have this name",
        ),
        ("fun f() -> () { () = call g(); return }", "g()", "there is no function `g`"),
        (
            "fun f() -> () { return } fun f() -> () { return }",
            "f() -> () { return }",
            "there are two functions `f`",
        ),
        ("fun f() -> () { x: i32 = ~; return }", "~", "stray character '~'"),
        (
            "fun f() -> () { c: cert = assert true (\"a\n\"); return }",
            "\"a",
            "this text has no closing quote",
        ),
        ("fun f() -> () {", "", "expected a variable, found the end of the text"),
    ];
    for (text, place, message) in cases {
        let Err(Failure::User(diagnostics)) = parse(text, FileId(0)) else { panic!("{text} must fail") };
        assert_eq!(diagnostics[0].message, message);
        let start = diagnostics[0].span.start as usize;
        assert!(
            text[start..].starts_with(place) && (start == text.len() || !place.is_empty()),
            "{text}: {start}"
        );
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("fun f() -> () {{ {}", "() = if true { ".repeat(100_000));
    let Err(failure) = parse(&text, FileId(0)) else { panic!("must fail") };
    assert_eq!(failure.diagnostics()[0].message, "more than 12000 levels of nesting");
}

#[test]
fn any_cut_of_a_text_is_an_error_not_a_panic() {
    let text = include_str!("text/soac.ir");
    for (cut, _) in text.char_indices() {
        let _ = parse(&text[..cut], FileId(0));
        let _ = parse(&text[cut..], FileId(0));
    }
}
