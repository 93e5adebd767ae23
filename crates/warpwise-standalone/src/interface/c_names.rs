//! Names in C, as Futhark forms them.
//!
//! ```text
//! entry step'         futhark_entry_stepzq                  what C does not accept is encoded by letters
//! point, m.point      opaque_point, opaque_m_point
//! [](i32, point)      opaque_arr1d_tup2_i32_point           arrays and tuples are spelled out
//! {a: i32}, t'        opaque_a8d1..., opaque_3b11...        anything else gets the MD5 digest of its name
//! ```
//!
//! The encoding is the one of GHC for symbols, the Z-encoding, without its abbreviations for tuples.

/// The version of Futhark that names follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Naming {
    /// Futhark 0.25: the name of a record has no blank behind its colons.
    V0_25,
    /// Futhark 0.26.
    #[default]
    V0_26,
}

impl Naming {
    /// Returns the text between the name of a field and its type.
    pub(super) fn colon(self) -> &'static str {
        match self {
            Naming::V0_25 => ":",
            Naming::V0_26 => ": ",
        }
    }

    /// Returns the word for the empty tuple within another type.
    fn unit(self) -> &'static str {
        match self {
            Naming::V0_25 => "tup0_",
            Naming::V0_26 => "unit",
        }
    }
}

/// Returns the name for a function that is called `name` in the language.
pub(super) fn word(name: &str) -> String {
    if is_word(name) { name.to_string() } else { encoded(name) }
}

/// Returns the last part of a name, for a field or a constructor. It may begin with a digit.
pub(super) fn part(name: &str) -> String {
    if name.chars().all(is_constituent) { name.to_string() } else { encoded(name) }
}

/// Returns the name of a type that is neither a scalar nor an array of scalars, after `opaque_`. `name` is its name in the language.
pub(super) fn of_opaque(name: &str, naming: Naming) -> String {
    if name == "()" {
        return "unit".to_string();
    }
    let spelled_out = spelled_out(name, naming).filter(|word| is_word(word));
    spelled_out.unwrap_or_else(|| format!("{:x}", md5::compute(name)))
}

/// Spells out arrays, tuples and names in modules; `None` if the name consists of anything else.
fn spelled_out(name: &str, naming: Naming) -> Option<String> {
    let mut rest = name;
    let word = ty(&mut rest, naming)?;
    rest.is_empty().then_some(word)
}

/// Spells out the type at the start of `rest`, and advances `rest`.
fn ty(rest: &mut &str, naming: Naming) -> Option<String> {
    let mut rank = 0;
    while let Some(after) = rest.strip_prefix("[]") {
        (rank, *rest) = (rank + 1, after);
    }
    if rank > 0 {
        return Some(format!("arr{rank}d_{}", ty(rest, naming)?));
    }
    if let Some(after) = rest.strip_prefix('(') {
        *rest = after;
        return tuple(rest, naming);
    }
    let first = atom(rest)?;
    match rest.strip_prefix('.') {
        None => Some(first),
        Some(after) => {
            *rest = after;
            Some(format!("{first}_{}", atom(rest)?))
        }
    }
}

/// Spells out a tuple whose opening parenthesis has been read.
fn tuple(rest: &mut &str, naming: Naming) -> Option<String> {
    if let Some(after) = rest.strip_prefix(')') {
        *rest = after;
        return Some(naming.unit().to_string());
    }
    let mut parts = vec![ty(rest, naming)?];
    while let Some(after) = rest.strip_prefix(',') {
        *rest = after.trim_start();
        parts.push(ty(rest, naming)?);
    }
    *rest = rest.strip_prefix(')')?;
    Some(format!("tup{}_{}", parts.len(), parts.join("_")))
}

/// Takes the characters up to the next punctuation.
fn atom(rest: &mut &str) -> Option<String> {
    let end = rest.find(|c| "[]{}(),.:".contains(c)).unwrap_or(rest.len());
    let (atom, after) = rest.split_at(end);
    *rest = after;
    (!atom.is_empty()).then(|| atom.to_string())
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_constituent)
}

fn is_constituent(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Encodes a name by letters and digits.
fn encoded(name: &str) -> String {
    let code = |(at, c): (usize, char)| match c {
        '0'..='9' if at == 0 => encoded_by_number(c),
        'z' => "zz".to_string(),
        'Z' => "ZZ".to_string(),
        c if is_constituent(c) => c.to_string(),
        c => match PUNCTUATION.iter().find(|(known, _)| *known == c) {
            Some((_, code)) => code.to_string(),
            None => encoded_by_number(c),
        },
    };
    name.char_indices().map(code).collect()
}

/// Encodes a character as `z`, the hexadecimal digits of its number, and `U`. A `0` comes first if the number would begin with a letter.
fn encoded_by_number(c: char) -> String {
    let digits = format!("{:x}", u32::from(c));
    let zero = if digits.starts_with(|digit: char| digit.is_ascii_digit()) { "" } else { "0" };
    format!("z{zero}{digits}U")
}

/// Codes of punctuation.
const PUNCTUATION: &[(char, &str)] = &[
    ('(', "ZL"),
    (')', "ZR"),
    ('[', "ZM"),
    (']', "ZN"),
    (':', "ZC"),
    ('&', "za"),
    ('|', "zb"),
    ('^', "zc"),
    ('$', "zd"),
    ('=', "ze"),
    ('>', "zg"),
    ('#', "zh"),
    ('.', "zi"),
    ('<', "zl"),
    ('-', "zm"),
    ('!', "zn"),
    ('+', "zp"),
    ('\'', "zq"),
    ('\\', "zr"),
    ('/', "zs"),
    ('*', "zt"),
    ('%', "zv"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_encoded_if_c_does_not_accept_them() {
        for (name, expected) in [
            ("step", "step"),
            ("step'", "stepzq"),
            ("zip'", "zzipzq"),
            ("Z'_9", "ZZzq_9"),
            ("_z", "_zz"),
            ("ä'", "z0e4Uzq"),
        ] {
            assert_eq!(word(name), expected, "{name}");
        }
        assert_eq!((part("0"), part("b'"), part("az")), ("0".into(), "bzq".into(), "az".into()));
        assert_eq!(encoded("9'"), "z39Uzq");
    }

    /// The digests are those in libraries that Futhark 0.25.32 made.
    #[test]
    fn types_have_the_names_of_other_libraries() {
        for (name, expected) in [
            ("()", "unit"),
            ("point", "point"),
            ("m.q", "m_q"),
            ("[]point", "arr1d_point"),
            ("(bool, i32)", "tup2_bool_i32"),
            ("[][](i32, bool)", "arr2d_tup2_i32_bool"),
            ("[]()", "arr1d_tup0_"),
            ("t'", "3b11da5ab8568206a5e1184fbf7f2005"),
            ("((i32, bool), {a:(i32, i64)})", "8fca1d99417d908beb16ce8371a5af41"),
            ("[][]{a:i32, b:bool}", "af57adf1547b38b8e73d4568c296be4b"),
            ("bar: | foo:i32", "c521b23084ef235b1997aeb0438466c0"),
            ("{}", "99914b932bd37a50b983c5e7c90ae93b"),
            ("{_a:i32}", "b9d60ffdb95895d7f24f5d3fbea710ee"),
        ] {
            assert_eq!(of_opaque(name, Naming::V0_25), expected, "{name}");
        }
        assert_eq!(of_opaque("[]()", Naming::V0_26), "arr1d_unit");
        assert_eq!(of_opaque("_t", Naming::V0_26).len(), 32);
    }
}
