//! Parser for the `-- ==` test blocks of a program: what to run, and which outcome to expect. Nothing is run here.
//!
//! ```text
//! -- ==
//! -- tags { nobench }                        first block only, as are error, structure and warning
//! -- entry: f g                              `main` if left out
//! -- "small" input { 1 [2,3] } output { 4 }
//! -- compiled random input { [100][10]f32 5i64 } auto output
//! -- input @ data/a.in.gz error: out of bounds
//! -- script input { mkdata 10 }
//! -- structure gpu { SegMap 1 } warning: deprecated
//!
//! -- ==
//! -- property: p q
//! ```
//!
//! A block starts with a line that starts with `-- ==`, and ends before the first line that does not start with `--`. Inline
//! values are kept as text with its source position, in which blanks replace comment marks. The runtime parses the values, since
//! it knows their types; regular expressions and scripts are kept as text, too.

use warpwise_diag::{Diagnostic, FileId, Span};

use crate::syntax::ast::PrimType;

/// All blocks of a program. Without blocks, the program must compile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestSpec {
    /// Tags of the program as a whole, such as `disable`.
    pub tags: Vec<String>,
    /// Message with which compilation must fail. The spec then contains nothing else.
    pub compile_error: Option<Pattern>,
    /// The test blocks.
    pub blocks: Vec<TestBlock>,
    /// Node counts in another compiler's IR.
    pub structures: Vec<Structure>,
    /// Warnings that compilation must cause.
    pub warnings: Vec<Pattern>,
    /// Entry points that must hold for random arguments.
    pub properties: Vec<String>,
}

/// The cases of one or more entry points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestBlock {
    /// Entry points; each runs every case.
    pub entries: Vec<String>,
    /// Cases; at least one.
    pub cases: Vec<TestCase>,
}

/// A single run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestCase {
    /// Source position, from the first tag or the name to the end.
    pub span: Span,
    /// The name in quotes.
    pub name: Option<String>,
    /// Tags such as `nobench`, except for `random` and `script`.
    pub tags: Vec<String>,
    /// The arguments.
    pub input: Input,
    /// The expected outcome.
    pub expected: Expected,
}

/// The arguments of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Values in the program or in a file.
    Values(Values),
    /// Values to be generated.
    Random(Vec<RandomValue>),
    /// An expression that computes the arguments.
    Script(Values),
}

/// Values as text, or the name of a file that contains them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// The text between braces. Byte `i` of the text is byte `span.start + i` of the file.
    Inline {
        /// The text.
        text: String,
        /// Source position.
        span: Span,
    },
    /// A path relative to the program.
    File {
        /// Path of the file.
        path: String,
        /// Source position.
        span: Span,
    },
}

/// One argument of a random input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RandomValue {
    /// A random value; a scalar if there are no dimensions.
    Generated {
        /// The extents.
        shape: Vec<u64>,
        /// Type of an element.
        element: PrimType,
    },
    /// A given scalar.
    Constant {
        /// Its text.
        text: String,
        /// Source position.
        span: Span,
    },
}

/// The expected outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// The run succeeds, with any result.
    Success,
    /// The run returns these values.
    Values(Values),
    /// The run returns what a reference implementation returns.
    Auto,
    /// The run fails with this message.
    Error(Pattern),
}

/// A regular expression to be searched for; empty if everything matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The expression.
    pub regex: String,
    /// Source position.
    pub span: Span,
}

/// Node counts after a pipeline of another compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// Name of the pipeline, such as `gpu`; `None` for the default.
    pub pipeline: Option<String>,
    /// Names of nodes, or paths of names separated by `/`, each with its count.
    pub counts: Vec<(String, u64)>,
}

/// Parses the test blocks of a program. Each block causes at most one error.
pub fn parse_test_spec(file: FileId, text: &str) -> Result<TestSpec, Vec<Diagnostic>> {
    let mut spec = TestSpec::default();
    let mut errors = Vec::new();
    if text.len() >= u32::MAX as usize {
        let span = Span { file, start: 0, end: 0 };
        return Err(vec![Diagnostic::error("E0120", span, "this file is larger than 4 GiB")]);
    }
    for (number, (start, content)) in blocks(text).into_iter().enumerate() {
        let mut scanner = Scanner { file, base: start, text: &content, at: 0 };
        errors.extend(scanner.block(&mut spec, number == 0).err().map(|error| *error));
    }
    if errors.is_empty() { Ok(spec) } else { Err(errors) }
}

const MARK: &str = "-- ==";

/// Returns the blocks after their mark: the start of each, and its text with comment marks blanked.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("--") {
            None => inside = false,
            Some(rest) if inside => {
                if let Some((_, content)) = blocks.last_mut() {
                    content.push_str("  ");
                    content.push_str(rest);
                }
            }
            Some(_) => {
                if let Some(rest) = line.strip_prefix(MARK) {
                    blocks.push((start + MARK.len(), rest.to_string()));
                    inside = true;
                }
            }
        }
        start += line.len();
    }
    blocks
}

type Scan<T> = Result<T, Box<Diagnostic>>;

struct Scanner<'a> {
    file: FileId,
    base: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn block(&mut self, spec: &mut TestSpec, first: bool) -> Scan<()> {
        if self.eat_word("tags") {
            self.only_in(first, "tags")?;
            let (inside, _) = self.braces()?;
            spec.tags = inside.split_whitespace().map(str::to_string).collect();
        }
        if spec.compile_error.is_some() {
            return Err(self.error("no block may follow one that expects a compile-time error"));
        }
        if self.eat_word("error:") {
            self.only_in(first, "a compile-time error")?;
            spec.compile_error = Some(self.pattern());
        } else if self.word() == "property:" {
            while self.eat_word("property:") {
                spec.properties.extend(self.rest_of_line().split_whitespace().map(str::to_string));
            }
        } else {
            self.runs(spec, first)?;
        }
        self.skip_space();
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("this is not part of a test")) }
    }

    /// Parses entry points with their cases, structures and warnings.
    fn runs(&mut self, spec: &mut TestSpec, first: bool) -> Scan<()> {
        let mut entries = vec!["main".to_string()];
        if self.eat_word("entry:") {
            entries = self.rest_of_line().split_whitespace().map(str::to_string).collect();
        }
        let mut cases: Vec<TestCase> = Vec::new();
        loop {
            match self.word() {
                "structure" => {
                    self.only_in(first, "a structure")?;
                    spec.structures.push(self.structure()?);
                }
                "warning:" => {
                    self.only_in(first, "a warning")?;
                    self.eat_word("warning:");
                    spec.warnings.push(self.pattern());
                }
                "" if !self.rest().starts_with('"') => break,
                _ => cases.push(self.case(&cases)?),
            }
        }
        if !cases.is_empty() {
            spec.blocks.push(TestBlock { entries, cases });
        }
        Ok(())
    }

    fn case(&mut self, before: &[TestCase]) -> Scan<TestCase> {
        let start = self.at;
        let name = if self.rest().starts_with('"') { Some(self.quoted()?) } else { None };
        if let Some(other) = before.iter().find(|case| name.is_some() && case.name == name) {
            let span = self.span(start, self.at);
            let diagnostic = Diagnostic::error("E0143", span, "another case of this block has this name");
            return Err(Box::new(diagnostic.label(other.span, "here")));
        }
        let mut tags = Vec::new();
        while !self.eat_word("input") {
            let tag = self.word();
            if tag.is_empty() || tag.ends_with(':') {
                return Err(self.error("expected `input` or a tag"));
            }
            self.at += tag.len();
            tags.push(tag.to_string());
        }
        let input = if tags.iter().any(|tag| tag == "random") {
            Input::Random(self.random()?)
        } else if tags.iter().any(|tag| tag == "script") {
            Input::Script(self.values()?)
        } else {
            Input::Values(self.values()?)
        };
        tags.retain(|tag| tag != "random" && tag != "script");
        let expected = self.expected()?;
        let end = self.text[..self.at].trim_end().len();
        Ok(TestCase { span: self.span(start, end), name, tags, input, expected })
    }

    fn expected(&mut self) -> Scan<Expected> {
        if self.eat_word("output") {
            return Ok(Expected::Values(self.values()?));
        }
        if self.eat_word("error:") {
            return Ok(Expected::Error(self.pattern()));
        }
        if !self.eat_word("auto") {
            return Ok(Expected::Success);
        }
        if self.eat_word("output") { Ok(Expected::Auto) } else { Err(self.error("expected `output`")) }
    }

    fn values(&mut self) -> Scan<Values> {
        self.skip_space();
        if self.rest().starts_with('@') {
            self.at += 1;
            self.skip_space();
            let start = self.at;
            let length = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
            self.at += length;
            if length == 0 {
                return Err(self.error("expected the name of a file"));
            }
            let path = self.text[start..self.at].to_string();
            return Ok(Values::File { path, span: self.span(start, self.at) });
        }
        let (text, start) = self.braces()?;
        Ok(Values::Inline { text: text.to_string(), span: self.span(start, start + text.len()) })
    }

    fn random(&mut self) -> Scan<Vec<RandomValue>> {
        let (text, start) = self.braces()?;
        let mut inside = Scanner { text: &self.text[..start + text.len()], at: start, ..*self };
        let mut values = Vec::new();
        loop {
            inside.skip_space();
            if inside.rest().is_empty() {
                return Ok(values);
            }
            values.push(inside.random_value()?);
        }
    }

    fn random_value(&mut self) -> Scan<RandomValue> {
        let start = self.at;
        let length = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        let text = &self.rest()[..length];
        let mut shape = Vec::new();
        let mut element = text;
        while let Some((extent, rest)) = element.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let extent = extent.replace('_', "").parse();
            shape.push(extent.map_err(|_| self.error("an extent here must be an integer below 2^64"))?);
            element = rest;
        }
        if let Some(element) = PrimType::from_name(element) {
            self.at += length;
            return Ok(RandomValue::Generated { shape, element });
        }
        if !shape.is_empty() || text.starts_with('[') {
            return Err(self.error("expected a type such as `[10][20]f32`"));
        }
        self.at += length;
        Ok(RandomValue::Constant { text: text.to_string(), span: self.span(start, self.at) })
    }

    fn structure(&mut self) -> Scan<Structure> {
        self.eat_word("structure");
        let pipeline = Some(self.word().to_string()).filter(|word| !word.is_empty());
        self.at += pipeline.as_ref().map_or(0, String::len);
        let before = self.at;
        let (text, _) = self.braces()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut counts = Vec::new();
        for pair in words.chunks(2) {
            match (pair, pair.last().and_then(|count| count.parse().ok())) {
                ([name, _], Some(count)) => counts.push((name.to_string(), count)),
                _ => {
                    self.at = before;
                    return Err(self.error("expected names, each followed by a count"));
                }
            }
        }
        Ok(Structure { pipeline, counts })
    }

    /// Parses `{ ... }`, and returns the inside and its start. Braces nest, except for those in strings.
    fn braces(&mut self) -> Scan<(&'a str, usize)> {
        self.skip_space();
        if !self.rest().starts_with('{') {
            return Err(self.error("expected `{`"));
        }
        let start = self.at + 1;
        let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
        for (offset, c) in self.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if in_string => escaped = true,
                '"' => in_string = !in_string,
                '{' if !in_string => depth += 1,
                '}' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let end = self.at + offset;
                self.at = end + 1;
                return Ok((&self.text[start..end], start));
            }
        }
        Err(Box::new(Diagnostic::error(
            "E0141",
            self.span(self.at, start),
            "this brace is not closed in its block",
        )))
    }

    fn quoted(&mut self) -> Scan<String> {
        let start = self.at + 1;
        let Some(length) = self.text[start..].find('"') else {
            let span = self.span(self.at, start);
            return Err(Box::new(Diagnostic::error("E0141", span, "this name is not closed in its block")));
        };
        self.at = start + length + 1;
        Ok(self.text[start..start + length].to_string())
    }

    /// Parses a regular expression: the rest of the line.
    fn pattern(&mut self) -> Pattern {
        let line = self.rest_of_line();
        let regex = line.trim();
        let end = self.at - (line.len() - line.trim_end().len());
        Pattern { regex: regex.to_string(), span: self.span(end - regex.len(), end) }
    }

    fn rest_of_line(&mut self) -> &'a str {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let line = &self.rest()[..length];
        self.at += length;
        line
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Returns the next word, with the colon after it; empty if there is none. Skips blanks before the word.
    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let colon = (length > 0 && rest[length..].starts_with(':')) as usize;
        &rest[..length + colon]
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    fn only_in(&self, first: bool, what: &str) -> Scan<()> {
        if first {
            return Ok(());
        }
        let span = self.span(self.at, self.at);
        Err(Box::new(Diagnostic::error(
            "E0142",
            span,
            format!("only the first block of a file may have {what}"),
        )))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: (self.base + start) as u32, end: (self.base + end) as u32 }
    }

    /// Returns an error at the next word, or at the place where it is missing.
    fn error(&self, message: &str) -> Box<Diagnostic> {
        let start = self.text.len() - self.rest().trim_start().len();
        let length = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
        let span = self.span(start, start + length);
        Box::new(Diagnostic::error("E0140", span, format!("in a test block: {message}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TestSpec, Vec<Diagnostic>> {
        parse_test_spec(FileId(0), text)
    }

    #[track_caller]
    fn fails(text: &str, place: &str, message: &str) {
        let errors = parse(text).expect_err(text);
        let found: Vec<_> = errors
            .iter()
            .map(|e| (&text[e.span.start as usize..e.span.end as usize], e.message.contains(message)))
            .collect();
        assert_eq!(found, [(place, true)], "{errors:?}");
    }

    /// Returns the text at a place, after checking that it is the text that was read.
    fn inline<'a>(source: &'a str, values: &Values) -> &'a str {
        let Values::Inline { text, span } = values else { panic!("{values:?}") };
        let found = &source[span.start as usize..span.end as usize];
        assert_eq!(text.len(), found.len());
        found
    }

    #[test]
    fn a_program_without_blocks_must_compile() {
        assert_eq!(parse("-- a comment\n--  ==\ndef x = 1"), Ok(TestSpec::default()));
        assert_eq!(parse("-- ==\n--\n"), Ok(TestSpec::default()));
        assert_eq!(parse(""), Ok(TestSpec::default()));
    }

    #[test]
    fn cases_of_all_forms() {
        let source = "-- Title.\n-- ==\n-- tags { a no_b }\n-- entry: f g\n-- \"one\" input { 1\n--  [2, 3] \"}\" }\n-- output { {4} }\n\
                      -- nobench compiled random input { [10][2_0]f32 i64 0.5f32 } auto output\n\
                      -- input @ data/x.in.gz output @ y\n-- script input { f \"}\" } error: [ab] .*x \n-- input {} error:\ndef x = 1\n";
        let spec = parse(source).unwrap();
        assert_eq!(spec.tags, ["a", "no_b"]);
        let [block] = &spec.blocks[..] else { panic!("{spec:?}") };
        assert_eq!(block.entries, ["f", "g"]);
        let [one, random, files, script, empty] = &block.cases[..] else { panic!("{block:?}") };

        assert_eq!(one.name.as_deref(), Some("one"));
        let Input::Values(values) = &one.input else { panic!() };
        assert_eq!(inline(source, values), " 1\n--  [2, 3] \"}\" ");
        let Values::Inline { text, .. } = values else { panic!() };
        assert_eq!(text, " 1\n    [2, 3] \"}\" ");
        let Expected::Values(values) = &one.expected else { panic!() };
        assert_eq!(inline(source, values), " {4} ");

        assert_eq!(random.tags, ["nobench", "compiled"]);
        let Input::Random(values) = &random.input else { panic!() };
        let [a, b, RandomValue::Constant { text, span }] = &values[..] else { panic!("{values:?}") };
        assert_eq!(a, &RandomValue::Generated { shape: vec![10, 20], element: PrimType::F32 });
        assert_eq!(b, &RandomValue::Generated { shape: vec![], element: PrimType::I64 });
        assert_eq!((text.as_str(), &source[span.start as usize..span.end as usize]), ("0.5f32", "0.5f32"));
        assert_eq!(random.expected, Expected::Auto);

        let Input::Values(Values::File { path, .. }) = &files.input else { panic!() };
        assert_eq!(path, "data/x.in.gz");
        assert!(matches!(&files.expected, Expected::Values(Values::File { path, .. }) if path == "y"));

        let Input::Script(values) = &script.input else { panic!() };
        assert_eq!(inline(source, values), " f \"}\" ");
        let Expected::Error(pattern) = &script.expected else { panic!() };
        assert_eq!(pattern.regex, "[ab] .*x");
        assert_eq!(&source[pattern.span.start as usize..pattern.span.end as usize], "[ab] .*x");

        assert!(matches!(&empty.expected, Expected::Error(pattern) if pattern.regex.is_empty()));
        assert_eq!(&source[empty.span.start as usize..empty.span.end as usize], "input {} error:");
    }

    #[test]
    fn what_the_compiler_must_do() {
        let spec =
            parse("-- ==\n-- structure gpu { SegMap 1 A/B 2 }\n-- structure {}\n-- warning: a b\n").unwrap();
        let counts = vec![("SegMap".to_string(), 1), ("A/B".to_string(), 2)];
        let gpu = Structure { pipeline: Some("gpu".to_string()), counts };
        assert_eq!(spec.structures, [gpu, Structure { pipeline: None, counts: vec![] }]);
        assert_eq!(spec.warnings[0].regex, "a b");
        assert_eq!(spec.blocks, []);

        let spec = parse("-- ==\n-- error: is.*wrong\r\ndef").unwrap();
        assert_eq!(spec.compile_error.map(|pattern| pattern.regex).as_deref(), Some("is.*wrong"));
    }

    #[test]
    fn later_blocks() {
        let spec = parse(
            "-- ==\n-- input { 1 }\n\n-- ==\n-- entry: g\n-- input { 2 }\n\n-- ==\n-- property: p\n-- property: q r\n",
        );
        let spec = spec.unwrap();
        let entries: Vec<_> = spec.blocks.iter().map(|block| block.entries.join(" ")).collect();
        assert_eq!(entries, ["main", "g"]);
        assert_eq!(spec.properties, ["p", "q", "r"]);
    }

    #[test]
    fn mistakes_have_a_place() {
        fails("-- ==\n-- input 1", "1", "expected `{`");
        fails("-- ==\n-- input { 1\ndef", "{", "not closed");
        fails("-- ==\n-- input { \"}\n", "{", "not closed");
        fails("-- ==\n-- some words", "", "expected `input`");
        fails("-- ==\n-- input {} auto }", "}", "expected `output`");
        fails("-- ==\n-- input {} @x", "@x", "not part of a test");
        fails("-- ==\n-- input @\n", "", "the name of a file");
        fails("-- ==\n-- \"a\" input {}\n-- \"a\" input {}", "\"a\"", "this name");
        fails("-- ==\n-- \"a input {}", "\"", "not closed");
        fails("-- ==\n-- random input { [x]i32 }", "[x]i32", "an extent");
        fails(
            "-- ==\n-- random input { [99999999999999999999]i32 }",
            "[99999999999999999999]i32",
            "an extent",
        );
        fails("-- ==\n-- random input { [1]int }", "[1]int", "expected a type");
        fails("-- ==\n-- structure { A }", "{", "followed by a count");
        fails("-- ==\n-- error: a\n\n-- ==\n-- input {}", "input", "no block may follow");
        fails("-- ==\n\n-- ==\n-- warning: a", "", "only the first block");
        fails("-- ==\n-- input é", "é", "expected `{`");
    }

    #[test]
    fn every_block_is_heard() {
        let errors = parse("-- ==\n-- input 1\n\n-- ==\n-- input 2").unwrap_err();
        assert_eq!(errors.len(), 2);
    }
}
