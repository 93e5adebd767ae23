//! Conversion of the language's names to Rust names.

use proc_macro2::{Ident, Span};

/// Converts the name of a function, parameter or field.
pub(crate) fn value(name: &str) -> Ident {
    identifier(&word(name))
}

/// Converts the name of a type or constructor to camel case: `m.two_words` becomes `MTwoWords`.
pub(crate) fn ty(name: &str) -> Ident {
    let parts = name.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let capitals = parts.map(|part| {
        let mut letters = part.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    });
    identifier(&word(&capitals.collect::<String>()))
}

/// Makes the name of a constant, of letters, digits and underscores only.
pub(crate) fn constant(name: &str) -> Ident {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    Ident::new(&format!("WARPWISE_{}", name.chars().map(letter).collect::<String>()), Span::call_site())
}

/// Returns the first of `name`, `name_2`, `name_3`, ... that is not taken, and marks it as taken.
pub(crate) fn unused(name: Ident, taken: &mut Vec<String>) -> Ident {
    let numbered = (2..).map(|number| Ident::new(&format!("{}_{number}", plain(&name)), Span::call_site()));
    let mut candidates = std::iter::once(name.clone()).chain(numbered);
    let free = candidates.find(|name| !taken.contains(&name.to_string())).unwrap_or(name);
    taken.push(free.to_string());
    free
}

fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

/// Replaces characters that Rust names cannot contain.
fn word(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter {
            '\'' => text += "_prime",
            letter if letter.is_ascii_alphanumeric() => text.push(letter),
            _ => text.push('_'),
        }
    }
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) || text == "_" {
        text.insert_str(0, "field_");
    }
    text
}

fn identifier(word: &str) -> Ident {
    match word {
        "self" | "Self" | "super" | "crate" => Ident::new(&format!("{word}_"), Span::call_site()),
        _ => match syn::parse_str::<Ident>(word) {
            Ok(_) => Ident::new(word, Span::call_site()),
            Err(_) => Ident::new_raw(word, Span::call_site()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_rust_does_not_have_are_changed() {
        let values = ["x", "x'", "type", "self", "0", "_", "größe"].map(|name| value(name).to_string());
        assert_eq!(values, ["x", "x_prime", "r#type", "self_", "field_0", "field__", "gr__e"]);
        let types = ["point", "m.two_words", "t'", "Self", "self"].map(|name| ty(name).to_string());
        assert_eq!(types, ["Point", "MTwoWords", "T_prime", "Self_", "Self_"]);
        assert_eq!(constant("src/my-prog.fut").to_string(), "WARPWISE_SRC_MY_PROG_FUT");
    }

    #[test]
    fn names_are_told_apart() {
        let mut taken = Vec::new();
        let names = ["x", "x", "type", "type", "x"].map(|name| unused(value(name), &mut taken).to_string());
        assert_eq!(names, ["x", "x_2", "r#type", "type_2", "x_3"]);
    }
}
