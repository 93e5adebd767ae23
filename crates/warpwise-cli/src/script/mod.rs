//! Inputs that scripts compute: expressions over literals and the entry points of the program under test.
//!
//! ```text
//! expression:  let x = expression in expression      let (x, y) = ... for what has as many parts; between two `let`s
//!                                                     no `in` is needed
//!              entry argument ... argument            call of an entry point
//!              $loaddata "file"                       values of a file beside the program, as of any test
//!              $loadbytes "file"                      its bytes, as an array of u8
//! argument:    1 1i64 [1, 2] "text" empty([0]i32) name name[e, e] (e, e) {field = e}
//!              argument.field argument.0              a part of a record or tuple
//! ```
//!
//! A comma may follow the last of several parts.
//!
//! A tuple, record or opaque value is the list of the values in it, with the names of its parts. Entry points split such lists into
//! their arguments. A pattern fits a value that has as many parts as the pattern has names, or else as many values. A number without a
//! suffix gets the type that an entry point expects if it is an argument; otherwise it is an `i32` or `f64`. Expressions are evaluated
//! while they are parsed, since there are no conditionals.

mod parts;

use std::path::Path;

use warpwise_driver::Program;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::formats::files::read_file;
use warpwise_runtime::formats::{ExpectedType, Source, read_values};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::cases::CaseError;

use parts::{Composite, Parts};

/// Maximum nesting depth of expressions.
const MAX_NESTING: u32 = 200;

/// The environment of a script.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The program with the entry points.
    pub program: &'a Program,
    /// The folder that files are relative to.
    pub folder: &'a Path,
    /// Memory for values.
    pub memory: &'a MemoryPool,
}

/// A value, or a literal that becomes one.
#[derive(Clone)]
enum Item {
    Value(Value),
    /// The text of a literal, which has no type yet.
    Literal(String),
}

type Computed<T> = Result<T, CaseError>;

/// The state of parsing and evaluating a script.
struct Script<'a> {
    rest: &'a str,
    surroundings: Surroundings<'a>,
    bindings: Vec<(&'a str, Composite<Item>)>,
    nesting: u32,
}

/// Evaluates a script.
pub fn run_script(text: &str, surroundings: Surroundings<'_>) -> Result<Vec<Value>, CaseError> {
    let mut script = Script { rest: text, surroundings, bindings: Vec::new(), nesting: 0 };
    let items = script.expression()?;
    if !script.peek().is_empty() {
        return Err(script.unexpected("the end"));
    }
    items.items.into_iter().map(|item| script.value(item, None)).collect()
}

impl<'a> Script<'a> {
    fn expression(&mut self) -> Computed<Composite<Item>> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(CaseError::Wrong("this script is nested too deeply".to_string()));
        }
        let result = if self.eats_word("let") { self.binding() } else { self.application() };
        self.nesting -= 1;
        result
    }

    fn binding(&mut self) -> Computed<Composite<Item>> {
        let (names, tuple) = self.pattern()?;
        self.expect("=")?;
        let bound = self.expression()?;
        let known = self.bindings.len();
        if !tuple {
            self.bindings.push((names[0], bound));
        } else if names.len() == bound.names().len() {
            let parts = bound.split().into_iter().map(|(_, part)| part);
            self.bindings.extend(names.into_iter().zip(parts));
        } else if names.len() == bound.items.len() {
            let values = bound.items.into_iter().map(Composite::one);
            self.bindings.extend(names.into_iter().zip(values));
        } else {
            let message = format!("a pattern of {} names for {} values", names.len(), bound.items.len());
            return Err(CaseError::Unsupported(format!("in scripts, {message}")));
        }
        if word(self.peek()) != "let" && !self.eats_word("in") {
            return Err(self.unexpected("`in`"));
        }
        let result = self.expression()?;
        self.bindings.truncate(known);
        Ok(result)
    }

    /// Parses a pattern. Returns its names, and whether it takes a tuple apart.
    fn pattern(&mut self) -> Computed<(Vec<&'a str>, bool)> {
        if !self.eats("(") {
            return Ok((vec![self.name()?], false));
        }
        let mut names = vec![self.name()?];
        while self.eats(",") && !self.peek().starts_with(')') {
            names.push(self.name()?);
        }
        self.expect(")")?;
        Ok((names, true))
    }

    fn application(&mut self) -> Computed<Composite<Item>> {
        if self.eats("$") {
            let builtin = self.name()?;
            let file = self.string()?;
            return self.builtin(builtin, &file);
        }
        let starts_name = self.peek().starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !starts_name || self.at_constant() || word(self.rest) == "empty" {
            return self.argument();
        }
        let name = self.name()?;
        if self.rest.starts_with(['[', '.']) || self.is_bound(name) {
            return self.named(name);
        }
        let mut arguments = Vec::new();
        while self.at_argument() {
            arguments.append(&mut self.argument()?.items);
        }
        self.call(name, arguments)
    }

    fn at_argument(&mut self) -> bool {
        let rest = self.peek();
        let begins = |c: char| c.is_alphanumeric() || "_([{\"-".contains(c);
        rest.starts_with(begins) && !["in", "let"].contains(&word(rest))
    }

    fn argument(&mut self) -> Computed<Composite<Item>> {
        let rest = self.peek();
        match rest.chars().next() {
            Some('(') => self.tuple(),
            Some('{') => self.record(),
            Some('[') => self.array(),
            Some('"') => {
                let end = end_of_string(rest).ok_or_else(|| self.unexpected("`\"`"))?;
                self.rest = &rest[end..];
                Ok(Composite::one(Item::Literal(rest[..end].to_string())))
            }
            Some(c) if c.is_ascii_digit() || c == '-' || self.at_constant() => self.number(),
            Some('e') if word(rest) == "empty" => {
                let end = rest.find(')').ok_or_else(|| self.unexpected("`)`"))? + 1;
                self.rest = &rest[end..];
                Ok(Composite::one(Item::Literal(rest[..end].to_string())))
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let name = self.name()?;
                self.named(name)
            }
            Some(_) | None => Err(self.unexpected("an expression")),
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        self.bindings.iter().any(|binding| binding.0 == name)
    }

    /// Returns the value of a name, or the part or element that is selected by dots or a bracket right after the name.
    fn named(&mut self, name: &str) -> Computed<Composite<Item>> {
        let found = match self.bindings.iter().rev().find(|binding| binding.0 == name) {
            Some((_, bound)) => bound.clone(),
            None => self.call(name, Vec::new())?,
        };
        if !self.rest.starts_with('[') {
            return self.projected(found);
        }
        let array = <[Item; 1]>::try_from(found.items).map_err(|_| {
            CaseError::Unsupported(format!("in scripts, indexing of `{name}`, which is several values"))
        });
        let [array] = array?;
        let array = self.value(array, None)?;
        self.expect("[")?;
        let mut indices = Vec::new();
        while !self.eats("]") {
            for index in self.expression()?.items {
                indices.push(self.index(index)?);
            }
            if !self.eats(",") && !self.peek().starts_with(']') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
        Ok(Composite::one(Item::Value(element(&array, &indices, self.surroundings.memory)?)))
    }

    /// Returns the part of a value that dots right after it select, or the whole value.
    fn projected(&mut self, mut whole: Composite<Item>) -> Computed<Composite<Item>> {
        while let Some(rest) = self.rest.strip_prefix('.') {
            let wanted = word(rest);
            let missing = format!("in a script, there is no field `{wanted}` among {:?}", whole.names());
            let part = whole.split().into_iter().find(|(name, _)| name == wanted);
            whole = part.ok_or(CaseError::Wrong(missing))?.1;
            self.rest = &rest[wanted.len()..];
        }
        Ok(whole)
    }

    fn index(&self, item: Item) -> Computed<i64> {
        let value = self.value(item, None)?;
        match value {
            Value::Scalar { value, .. } => value.as_int(),
            Value::Array { .. } => None,
        }
        .ok_or_else(|| CaseError::Wrong("in a script, an index is an integer".to_string()))
    }

    fn tuple(&mut self) -> Computed<Composite<Item>> {
        self.expect("(")?;
        let mut components = Vec::new();
        while !self.eats(")") {
            components.push(self.expression()?);
            if !self.eats(",") {
                self.expect(")")?;
                break;
            }
        }
        let whole = if components.len() == 1 { components.remove(0) } else { Composite::tuple(components) };
        self.projected(whole)
    }

    /// Parses a record. Fields are sorted by name, as in the program's types.
    fn record(&mut self) -> Computed<Composite<Item>> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eats("}") {
            let name = self.name()?;
            self.expect("=")?;
            fields.push((name.to_string(), self.expression()?));
            if !self.eats(",") && !self.peek().starts_with('}') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        fields.sort_by(|(name, _), (other, _)| name.cmp(other));
        self.projected(Composite::of(fields))
    }

    /// Parses a literal array. Its contents are written as in test blocks.
    fn array(&mut self) -> Computed<Composite<Item>> {
        let rest = self.peek();
        let (mut depth, mut end) = (0, 0);
        loop {
            match rest[end..].chars().next() {
                Some('"') => end += end_of_string(&rest[end..]).ok_or_else(|| self.unexpected("`\"`"))?,
                Some(c) => {
                    depth += i32::from(c == '[') - i32::from(c == ']');
                    end += c.len_utf8();
                }
                None => return Err(self.unexpected("`]`")),
            }
            if depth == 0 {
                self.rest = &rest[end..];
                return Ok(Composite::one(Item::Literal(rest[..end].to_string())));
            }
        }
    }

    fn number(&mut self) -> Computed<Composite<Item>> {
        let rest = self.peek();
        let body = &rest[usize::from(rest.starts_with('-'))..];
        let mut before = ' ';
        let length = body.find(|c: char| {
            let exponent = (c == '-' || c == '+') && (before == 'e' || before == 'E');
            before = c;
            !(c.is_alphanumeric() || c == '.' || c == '_' || exponent)
        });
        let length = length.unwrap_or(body.len()) + rest.len() - body.len();
        self.rest = &rest[length..];
        Ok(Composite::one(Item::Literal(rest[..length].to_string())))
    }

    /// Returns whether the next word is a literal: `true`, `false`, `f32.nan` and similar.
    fn at_constant(&mut self) -> bool {
        let rest = self.peek();
        let of_float = ["f16.", "f32.", "f64."].iter().any(|start| rest.starts_with(start));
        of_float || ["true", "false"].contains(&word(rest))
    }

    fn builtin(&self, name: &str, file: &str) -> Computed<Composite<Item>> {
        let Surroundings { folder, memory, .. } = self.surroundings;
        let path = folder.join(file);
        match name {
            "loaddata" => {
                let values = read_file(&path, None, memory);
                let values = values.map_err(|error| CaseError::Wrong(error.to_string()))?;
                match <[_; 1]>::try_from(values) {
                    Ok([value]) => Ok(Composite::one(Item::Value(value))),
                    Err(values) => {
                        Ok(Composite::tuple(values.into_iter().map(Item::Value).map(Composite::one)))
                    }
                }
            }
            "loadbytes" => {
                let bytes = std::fs::read(&path)
                    .map_err(|error| CaseError::Wrong(format!("{}: cannot read: {error}", path.display())))?;
                let value = Value::from_slice(memory, &[bytes.len() as i64], &bytes);
                let value = value.map_err(|error| CaseError::Wrong(error.to_string()))?;
                Ok(Composite::one(Item::Value(value)))
            }
            _ => Err(CaseError::Unsupported(format!("`${name}` in scripts"))),
        }
    }

    fn call(&self, name: &str, arguments: Vec<Item>) -> Computed<Composite<Item>> {
        let program = self.surroundings.program;
        let failed = |error: String| CaseError::Wrong(format!("in a script, {name}: {error}"));
        let entry = program.entry(name).map_err(|error| failed(error.to_string()))?;
        let parameters = entry.parameters();
        let mut values = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.into_iter().enumerate() {
            let wanted = parameters.get(index).map(|ty| ExpectedType { elem: ty.element, rank: ty.rank });
            values.push(self.value(argument, wanted)?);
        }
        let results = program.call(name, values).map_err(|error| failed(error.to_string()))?;
        let items = results.into_iter().map(Item::Value).collect();
        Ok(Composite { items, parts: Parts::of_results(entry.point.result_types()) })
    }

    fn value(&self, item: Item, wanted: Option<ExpectedType>) -> Computed<Value> {
        let text = match item {
            Item::Value(value) => return Ok(value),
            Item::Literal(text) => text,
        };
        let wanted = wanted.map(|ty| [ty]);
        let source = Source::bytes("script", text.as_bytes());
        let values = read_values(source, wanted.as_ref().map(|ty| &ty[..]), self.surroundings.memory)
            .map_err(|error| CaseError::Wrong(error.to_string()))?;
        values.into_iter().next().ok_or_else(|| CaseError::Wrong(format!("`{text}` is no value")))
    }

    // Tokens.

    /// Skips blanks, and returns the remaining text.
    fn peek(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn eats(&mut self, mark: &str) -> bool {
        let found = self.peek().strip_prefix(mark);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn eats_word(&mut self, wanted: &str) -> bool {
        let found = word(self.peek()) == wanted;
        if found {
            self.rest = &self.rest[wanted.len()..];
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Computed<()> {
        if self.eats(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn name(&mut self) -> Computed<&'a str> {
        let name = word(self.peek());
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.unexpected("a name"));
        }
        self.rest = &self.rest[name.len()..];
        Ok(name)
    }

    fn string(&mut self) -> Computed<String> {
        self.expect("\"")?;
        let Some((text, rest)) = self.rest.split_once('"') else { return Err(self.unexpected("`\"`")) };
        self.rest = rest;
        Ok(text.to_string())
    }

    fn unexpected(&self, wanted: &str) -> CaseError {
        let found: String = self.rest.trim_start().chars().take(20).collect();
        let found = if found.is_empty() { "its end".to_string() } else { format!("`{found}`") };
        CaseError::Wrong(format!("in a script, {wanted} is expected before {found}"))
    }
}

/// Returns the length of the string that a text starts with; `None` if the string does not end.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = true;
    let end = text.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map(|end| end + 1)
}

/// Returns an element or a row of an array.
fn element(array: &Value, indices: &[i64], memory: &MemoryPool) -> Computed<Value> {
    let wrong = || {
        CaseError::Wrong(format!("in a script, Index {indices:?} out of bounds for {}", array.type_text()))
    };
    let Value::Array { ty, array: elements } = array else { return Err(wrong()) };
    let Some((outer, inner)) = elements.shape().split_at_checked(indices.len()) else { return Err(wrong()) };
    let mut row = 0;
    for (&index, &size) in indices.iter().zip(outer) {
        if !(0..size).contains(&index) {
            return Err(wrong());
        }
        row = row * size as usize + index as usize;
    }
    let count = inner.iter().product::<i64>() as usize;
    if inner.is_empty() {
        return elements.element(row).map(|value| Value::scalar(*ty, value)).ok_or_else(wrong);
    }
    let bytes = count * ty.scalar().bytes();
    let out_of_memory = |error: OutOfMemory| CaseError::Wrong(error.to_string());
    let mut result = Array::allocate(memory, ty.scalar(), inner).map_err(out_of_memory)?;
    let from = &elements.bytes()[row * bytes..][..bytes];
    result.bytes_mut(memory).map_err(out_of_memory)?.copy_from_slice(from);
    Ok(Value::array(*ty, result))
}

/// Returns the word that a text starts with; may be empty.
fn word(text: &str) -> &str {
    let length = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
    &text[..length.unwrap_or(text.len())]
}
