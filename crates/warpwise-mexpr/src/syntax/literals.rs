//! The values of tokens.

/// The reason why a literal has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLiteral {
    /// The mistake.
    pub message: String,
    /// The bytes of the token that are wrong.
    pub range: std::ops::Range<usize>,
}

/// Returns the value of an integer.
pub fn integer(text: &str) -> Result<i64, BadLiteral> {
    text.parse().map_err(|_| BadLiteral {
        message: "this integer does not fit into 64 bits".to_string(),
        range: 0..text.len(),
    })
}

/// Returns the value of a float; one that is too large is infinite.
pub fn float(text: &str) -> f64 {
    text.parse().expect("the lexer takes no other floats")
}

/// Returns the character of `'c'`; `text` includes the quotes.
pub fn character(text: &str) -> Result<char, BadLiteral> {
    let text = unescape(text, 1)?;
    Ok(text.chars().next().expect("the lexer takes no empty characters"))
}

/// Decodes the text of a string, from byte `start` of the token to the closing quote.
pub fn unescape(text: &str, start: usize) -> Result<String, BadLiteral> {
    let inner = &text[start..text.len() - 1];
    let mut result = String::with_capacity(inner.len());
    let mut chars = inner.char_indices();
    while let Some((_, c)) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        let (at, escape) = chars.next().expect("the lexer takes no lone backslash");
        match unescape_one(escape) {
            Some(c) => result.push(c),
            None => {
                let range = start + at - 1..start + at + escape.len_utf8();
                let message = format!("`\\{}` is no escape", escape.escape_debug());
                return Err(BadLiteral { message, range });
            }
        }
    }
    Ok(result)
}

fn unescape_one(escape: char) -> Option<char> {
    Some(match escape {
        '\'' | '"' | '?' | '\\' => escape,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        _ => return None,
    })
}

/// Appends a character to `into` as it is written between quotes.
pub fn escape(c: char, into: &mut String) {
    match c {
        '\'' | '"' | '\\' => into.extend(['\\', c]),
        '\x07' => into.push_str("\\a"),
        '\x08' => into.push_str("\\b"),
        '\x0c' => into.push_str("\\f"),
        '\n' => into.push_str("\\n"),
        '\r' => into.push_str("\\r"),
        '\t' => into.push_str("\\t"),
        '\x0b' => into.push_str("\\v"),
        other => into.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_both_ways() {
        let all = "a'\"\\\x07\x08\x0c\n\r\t\x0bé?";
        let mut text = "\"".to_string();
        all.chars().for_each(|c| escape(c, &mut text));
        text.push('"');
        assert_eq!(unescape(&text, 1).unwrap(), all);
        assert_eq!(character("'\\?'").unwrap(), '?');
        let bad = unescape("\"é\\q\"", 1).unwrap_err();
        assert_eq!((bad.message.as_str(), bad.range), ("`\\q` is no escape", 3..5));
    }

    #[test]
    fn numbers() {
        assert_eq!(integer("-9223372036854775808"), Ok(i64::MIN));
        assert!(integer("9223372036854775808").is_err());
        assert_eq!((float("1."), float("-2.5e1"), float("1e999")), (1.0, -25.0, f64::INFINITY));
    }
}
