//! Explanations of message codes, as sections of a Markdown text.
//!
//! A section starts with `## CODE: title`. Its fenced blocks are examples. The first example causes only messages with the
//! section's code; all later ones are correct.

/// Sections about codes, sorted by code.
#[derive(Clone, Copy, Debug)]
pub struct Explanations(&'static str);

impl Explanations {
    /// Wraps a Markdown text of sections.
    pub const fn new(markdown: &'static str) -> Self {
        Self(markdown)
    }

    /// Returns the explained codes, in order.
    pub fn codes(self) -> impl Iterator<Item = &'static str> {
        self.sections().filter_map(|section| section.split_once(':')).map(|(code, _)| code)
    }

    /// Returns the section of a code, as Markdown without the `## ` of the heading. The case of `code` does not matter.
    pub fn explain(self, code: &str) -> Option<&'static str> {
        let belongs = |section: &&str| {
            section.split_once(':').is_some_and(|(other, _)| other.eq_ignore_ascii_case(code))
        };
        self.sections().find(belongs).map(str::trim_end)
    }

    /// Returns complaints about the examples and the order of the sections. `messages` returns the codes of all messages on an
    /// example; `without` lists the codes that have no examples.
    pub fn complaints(self, without: &[&str], messages: impl Fn(&str) -> Vec<&'static str>) -> Vec<String> {
        let mut complaints = Vec::new();
        if !self.codes().is_sorted() {
            complaints.push("sections are not sorted by code".to_string());
        }
        for code in self.codes() {
            let examples = examples(self.explain(code).unwrap_or_default());
            if examples.is_empty() != without.contains(&code) {
                complaints.push(format!("{code}: {} examples", examples.len()));
            }
            for (index, example) in examples.iter().enumerate() {
                let found = messages(example);
                let is_right = match index {
                    0 => !found.is_empty() && found.iter().all(|other| *other == code),
                    _ => found.is_empty(),
                };
                if !is_right {
                    complaints.push(format!("{code}, example {}: found {found:?}", index + 1));
                }
            }
        }
        complaints
    }

    fn sections(self) -> impl Iterator<Item = &'static str> {
        self.0.split("\n## ").skip(1)
    }
}

/// Returns the contents of a section's fenced blocks.
fn examples(section: &str) -> Vec<&str> {
    let insides = section.split("```").skip(1).step_by(2);
    insides.filter_map(|inside| inside.split_once('\n')).map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::Explanations;

    const TWO: Explanations = Explanations::new(
        "Preface.\n\n## E1: One\n\nWhy.\n\n```x\nbad\n```\n\n```x\ngood\n```\n\n## E2: Two\n\nNo more.\n",
    );

    #[test]
    fn sections_are_found_by_code() {
        assert_eq!(TWO.codes().collect::<Vec<_>>(), ["E1", "E2"]);
        assert_eq!(TWO.explain("e2"), Some("E2: Two\n\nNo more."));
        assert_eq!(TWO.explain("E3"), None);
    }

    #[test]
    fn examples_are_held_to_their_section() {
        let honest = |text: &str| if text == "bad\n" { vec!["E1"] } else { Vec::new() };
        assert_eq!(TWO.complaints(&["E2"], honest), Vec::<String>::new());
        assert_eq!(TWO.complaints(&[], honest), ["E2: 0 examples"]);
        assert_eq!(TWO.complaints(&["E1", "E2"], honest), ["E1: 2 examples"]);
        let silent = |_: &str| Vec::new();
        assert_eq!(TWO.complaints(&["E2"], silent), ["E1, example 1: found []"]);
        let other = |_: &str| vec!["E1", "E2"];
        assert_eq!(
            TWO.complaints(&["E2"], other),
            [r#"E1, example 1: found ["E1", "E2"]"#, r#"E1, example 2: found ["E1", "E2"]"#]
        );
        let backwards = Explanations::new("\n## E2: Two\n\n## E1: One\n");
        assert_eq!(backwards.complaints(&["E1", "E2"], silent), ["sections are not sorted by code"]);
    }
}
