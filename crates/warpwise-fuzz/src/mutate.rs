//! Mutation of programs: bytes, words and declarations are lost, doubled, swapped and mixed between programs.

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// Starts of declarations.
const HEADS: [&str; 10] =
    ["def ", "let ", "entry ", "type ", "type~ ", "type^ ", "module ", "open ", "import ", "local "];

/// Texts that are difficult for lexers.
const ODD: [&str; 12] = ["\"", "'", "\u{0}", "\u{feff}", "é", "\\", "0x", "1e999", "--", "\r", "{-", "`"];

/// A corpus of programs, with their parts.
pub struct Corpus {
    /// Complete programs.
    pub programs: Vec<String>,
    declarations: Vec<String>,
    words: Vec<String>,
}

impl Corpus {
    /// Creates a corpus of these programs.
    pub fn new(programs: Vec<String>) -> Corpus {
        let declarations: Vec<String> = programs.iter().flat_map(|text| declarations(text)).collect();
        let mut words: Vec<String> =
            declarations.iter().flat_map(|text| pieces(text)).filter(|w| !w.trim().is_empty()).collect();
        words.sort();
        words.dedup();
        Corpus { programs, declarations, words }
    }

    /// Returns a random program of the corpus with some of its bytes changed.
    pub fn with_bytes_changed(&self, random: &mut SmallRng) -> String {
        let mut bytes = self.program(random).into_bytes();
        bytes.truncate(8192);
        for _ in 0..random.random_range(1..=6) {
            let (from, to) = range(random, bytes.len());
            match random.random_range(0..5) {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let copy = bytes[from..to].to_vec();
                    let at = random.random_range(0..=bytes.len());
                    bytes.splice(at..at, copy);
                }
                2 => {
                    bytes.splice(from..from, ODD.choose(random).copied().unwrap_or("").bytes()).for_each(drop)
                }
                3 => bytes[from..to].iter_mut().for_each(|byte| *byte = random.random()),
                _ => bytes[from..to].reverse(),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns a few declarations of the corpus, with a few words lost, doubled, swapped or replaced.
    pub fn with_words_changed(&self, random: &mut SmallRng) -> String {
        let mut words = pieces(&self.program(random));
        for _ in 0..random.random_range(0..=3) {
            if words.is_empty() {
                break;
            }
            let (from, to) = range(random, words.len());
            let to = to.min(from + random.random_range(1..=8));
            match random.random_range(0..5) {
                0 => drop(words.drain(from..to)),
                1 => words[from] = self.words.choose(random).cloned().unwrap_or_default(),
                2 => {
                    let other = random.random_range(0..words.len());
                    words.swap(from, other);
                }
                3 => {
                    let copy = words[from..to].to_vec();
                    let at = random.random_range(0..=words.len());
                    words.splice(at..at, copy);
                }
                _ => words
                    .insert(from, format!(" {} ", self.words.choose(random).cloned().unwrap_or_default())),
            }
        }
        words.concat()
    }

    /// Returns consecutive declarations of one program, sometimes with one of another.
    fn program(&self, random: &mut SmallRng) -> String {
        let whole = declarations(self.programs.choose(random).map_or("", String::as_str));
        let (from, to) = range(random, whole.len());
        let to = to.min(from + random.random_range(1..=12));
        let mut chosen = whole[from..to].to_vec();
        if random.random_bool(0.3) {
            let at = random.random_range(0..=chosen.len());
            chosen.insert(at, self.declarations.choose(random).cloned().unwrap_or_default());
        }
        chosen.concat()
    }
}

/// Returns a random range within a length; not empty unless the length is 0.
fn range(random: &mut SmallRng, length: usize) -> (usize, usize) {
    if length == 0 {
        return (0, 0);
    }
    let from = random.random_range(0..length);
    (from, random.random_range(from + 1..=length))
}

/// Splits a text before every declaration.
fn declarations(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let starts = HEADS.iter().any(|head| line.starts_with(head)) || line.starts_with("#[");
        match parts.last_mut() {
            Some(part) if !starts => part.push_str(line),
            _ => parts.push(line.to_string()),
        }
    }
    parts
}

/// Splits a text into words, blanks and single characters.
pub fn pieces(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut parts: Vec<String> = Vec::new();
    let mut before = 3;
    for c in text.chars() {
        let now = kind(c);
        match parts.last_mut() {
            Some(part) if now == before && now != 3 => part.push(c),
            _ => parts.push(c.to_string()),
        }
        before = now;
    }
    parts
}

/// Returns a smaller text for which `fails` still holds, found by leaving out declarations, lines and words.
pub fn smaller(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut best = text.to_string();
    let cuts: [fn(&str) -> Vec<String>; 3] =
        [declarations, |text| text.split_inclusive('\n').map(str::to_string).collect(), pieces];
    for cut in cuts {
        let mut parts = cut(&best);
        let mut length = parts.len().div_ceil(2);
        while length > 0 {
            let mut at = 0;
            while at < parts.len() {
                let mut fewer = parts.clone();
                fewer.drain(at..(at + length).min(parts.len()));
                match fails(&fewer.concat()) {
                    true => parts = fewer,
                    false => at += length,
                }
            }
            length = if length == 1 { 0 } else { length.div_ceil(2) };
        }
        best = parts.concat();
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_declarations_make_up_the_text() {
        let text = "-- c\ndef f x = x+1\n\nentry main =\n  f 'é'\n";
        assert_eq!(pieces(text).concat(), text);
        assert_eq!(declarations(text).concat(), text);
        assert_eq!(declarations(text).len(), 3);
    }

    #[test]
    fn smaller_texts_keep_what_matters() {
        let text = "def a = 1\ndef b = (x + bad)\nlet c = 3\n";
        assert_eq!(smaller(text, |text| text.contains("bad")), "bad");
    }
}
