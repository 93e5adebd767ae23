//! Tests of properties: entry points that must return `true` for every value.
//!
//! ```text
//! -- ==
//! -- property: sums_are_positive
//!
//! #[prop(gen(some_numbers), shrink(fewer), size(10))]
//! entry sums_are_positive (xs: []i32) = i32.sum xs >= 0
//! ```
//!
//! A property takes one value and returns a truth value. It is called with [`TESTS`] values. A value is made by the generator from a
//! size and a random number; without a generator it consists of random numbers, and each array has `size` elements in all its
//! dimensions. A counterexample is made smaller as long as the property still does not hold. The shrinker makes a new value from it and
//! a random number; without a shrinker, the value is generated anew for every smaller size.
//!
//! Values are lists of leaves, as entry points take them. Absent: values of sum types without a generator.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use warpwise_diag::{FileId, Sources};
use warpwise_driver::{CallError, FlatType, Program};
use warpwise_fut::syntax::ast::{Attr, AttrKind, Decl, DeclKind};
use warpwise_fut::syntax::parser::parse_program;
use warpwise_fut::syntax::session::{Interner, Session};
use warpwise_fut::testspec::TestSpec;
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::Value;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::formats::write_text;
use warpwise_runtime::memory::MemoryPool;

use super::Status;
use super::worker::Trouble;
use crate::interrupt;
use crate::random::random_value_from;

/// Number of values that a property is called with.
const TESTS: usize = 100;

/// Default size of values.
const SIZE: i64 = 50;

/// Number of consecutive failed attempts after which shrinking ends.
const TRIES: usize = 100;

/// The contents of `#[prop(...)]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Wanted {
    generator: Option<String>,
    shrinker: Option<String>,
    size: Option<i64>,
}

/// A property under test.
struct Property<'a> {
    program: &'a Program,
    memory: &'a MemoryPool,
    name: &'a str,
    wanted: Wanted,
    /// Leaves of its parameter.
    takes: Vec<FlatType>,
    /// Name of its parameter.
    parameter: &'a str,
}

/// The reason why a test gives no answer, or the description of a counterexample.
type Unanswered = String;

/// Tests all properties of a program.
pub fn test(
    program: &Program,
    spec: &TestSpec,
    sources: &Sources,
    memory: &MemoryPool,
    seed: u64,
) -> Vec<Trouble> {
    if spec.properties.is_empty() {
        return Vec::new();
    }
    let attributes = attributes(sources);
    let mut names: Vec<&str> = spec.properties.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let troubles = names.into_iter().filter_map(|name| {
        let tested = property(program, memory, name, &attributes).and_then(|property| property.test(seed));
        tested
            .err()
            .map(|message| Trouble { status: Status::Failed, message: format!("property {name}: {message}") })
    });
    troubles.collect()
}

/// The name of a definition, and its attribute `prop`.
type Attributes = (String, Result<Option<Wanted>, String>);

/// Returns the attributes of all definitions in the program's file.
fn attributes(sources: &Sources) -> Vec<Attributes> {
    let mut session = Session::new();
    let mut found = Vec::new();
    // The sources of a test consist only of the program's file.
    let main = FileId(0);
    for decl in &parse_program(main, sources.text(main), &mut session).program.decls {
        if let DeclKind::Value(value) = &decl.kind {
            let name = session.names.text(value.name.name.symbol).to_string();
            found.push((name, wanted(decl, &session.names)));
        }
    }
    found
}

/// Returns the contents of `#[prop]` or `#[prop(...)]`; `None` without such an attribute.
fn wanted(decl: &Decl, names: &Interner) -> Result<Option<Wanted>, String> {
    let mut found = None;
    for attr in &decl.attrs {
        let inside: &[Attr] = match &attr.kind {
            AttrKind::Name(name) if names.text(name.symbol) == "prop" => &[],
            AttrKind::Compound(name, inside) if names.text(name.symbol) == "prop" => inside,
            AttrKind::Name(_) | AttrKind::Int(_) | AttrKind::Compound(..) => continue,
        };
        if found.replace(arguments(inside, names)?).is_some() {
            return Err("it has more than one attribute `prop`".to_string());
        }
    }
    Ok(found)
}

fn arguments(inside: &[Attr], names: &Interner) -> Result<Wanted, String> {
    let mut wanted = Wanted::default();
    for attr in inside {
        let AttrKind::Compound(what, argument) = &attr.kind else {
            return Err("`prop` takes gen(f), shrink(f) and size(n)".to_string());
        };
        match (names.text(what.symbol), argument.first().map(|attr| &attr.kind), argument.len()) {
            ("gen", Some(AttrKind::Name(f)), 1) => wanted.generator = Some(names.text(f.symbol).to_string()),
            ("shrink", Some(AttrKind::Name(f)), 1) => {
                wanted.shrinker = Some(names.text(f.symbol).to_string())
            }
            ("size", Some(AttrKind::Int(size)), 1) => {
                wanted.size = Some(i64::try_from(*size).map_err(|_| "its size is too large".to_string())?);
            }
            (what, _, _) => {
                return Err(format!("`prop` takes gen(f), shrink(f) and size(n), not this `{what}`"));
            }
        }
    }
    Ok(wanted)
}

/// Creates a property, after a check that the types of its functions fit together.
fn property<'a>(
    program: &'a Program,
    memory: &'a MemoryPool,
    name: &'a str,
    attributes: &[Attributes],
) -> Result<Property<'a>, Unanswered> {
    let entry = program.entry(name).map_err(|error| error.to_string())?;
    let wanted = match attributes.iter().find(|(other, _)| other == name) {
        Some((_, Ok(Some(wanted)))) => wanted.clone(),
        Some((_, Err(message))) => return Err(message.clone()),
        Some((_, Ok(None))) | None => return Err("it has no attribute `prop`".to_string()),
    };
    let [param] = &entry.point.params[..] else {
        return Err(format!("it must take one value, not {}", entry.point.params.len()));
    };
    if !matches!(&entry.results()[..], [only] if (only.element, only.rank) == (ValueType::Bool, 0)) {
        return Err("it must give a bool".to_string());
    }
    let takes = entry.parameters();
    let property = Property { program, memory, name, wanted, takes, parameter: &param.name };
    let (size, seed, value) = ([(ValueType::I64, 0)], [(ValueType::U64, 0)], types(&property.takes));
    if let Some(generator) = &property.wanted.generator {
        property.demand(generator, &[&size[..], &seed].concat(), "i64 -> u64 -> value")?;
    }
    if let Some(shrinker) = &property.wanted.shrinker {
        property.demand(shrinker, &[&value[..], &seed].concat(), "value -> u64 -> value")?;
    }
    Ok(property)
}

impl Property<'_> {
    /// Checks that an entry point takes values of these types and returns a value of the property's parameter type.
    fn demand(&self, name: &str, takes: &[(ValueType, usize)], form: &str) -> Result<(), Unanswered> {
        let entry = self.program.entry(name).map_err(|error| error.to_string())?;
        if types(&entry.parameters()) == takes && types(&entry.results()) == types(&self.takes) {
            return Ok(());
        }
        let value = self.takes.iter().map(FlatType::to_string).collect::<Vec<_>>().join(", ");
        Err(format!("`{name}` must be of type {form}, the value being ({value})"))
    }

    fn test(&self, seed: u64) -> Result<(), Unanswered> {
        let size = self.wanted.size.unwrap_or(SIZE);
        let mut random = SmallRng::seed_from_u64(seed);
        for number in 1..=TESTS {
            let seed = random.random();
            let values = self.generate(size, seed)?;
            if self.holds(&values)? {
                continue;
            }
            let (values, note) = match self.shrink(&values, size, seed, &mut random) {
                Ok(smaller) => (smaller, String::new()),
                Err((values, why)) => (values, format!("\n(not made smaller: {why})")),
            };
            return Err(format!(
                "does not hold, found by test {number} of {TESTS} (size {size}, seed {seed})\n\
                 counterexample: {}{note}",
                self.shown(&values)
            ));
        }
        Ok(())
    }

    /// Generates a value of a given size.
    fn generate(&self, size: i64, seed: u64) -> Result<Vec<Value>, Unanswered> {
        if let Some(generator) = &self.wanted.generator {
            let arguments =
                vec![Value::from_element(size), Value::scalar(ValueType::U64, (seed as i64).into())];
            return self.call(generator, arguments).map_err(|why| {
                format!("the generator `{generator}` fails (size {size}, seed {seed}): {why}")
            });
        }
        let mut values = Vec::new();
        for (position, leaf) in self.takes.iter().enumerate() {
            if leaf.name.ends_with(".tag") && leaf.element == ValueType::U8 {
                return Err("values of sum types need a generator: write `#[prop(gen(f))]`".to_string());
            }
            let seed = seed.wrapping_add(position as u64);
            let shape = vec![size; leaf.rank];
            let value = random_value_from(seed, leaf.element, &shape, self.memory);
            values.push(value.map_err(|error| error.to_string())?);
        }
        Ok(values)
    }

    fn holds(&self, values: &[Value]) -> Result<bool, Unanswered> {
        let results = self.call(self.name, values.to_vec());
        let results =
            results.map_err(|why| format!("fails: {why}\nfor the value: {}", self.shown(values)))?;
        match results.first() {
            Some(Value::Scalar { value: Scalar::Bool(truth), .. }) => Ok(*truth),
            Some(_) | None => Err("gives no truth value".to_string()),
        }
    }

    fn call(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, String> {
        interrupt::stoppable(|| self.program.call(entry, arguments)).map_err(|error| match error {
            CallError::Run(RunError::Internal(message)) => format!("internal error: {message}"),
            CallError::NoEntry(..) | CallError::Argument(_) | CallError::Run(_) => error.to_string(),
        })
    }

    /// Formats a value; if it has several leaves, each with its path.
    fn shown(&self, values: &[Value]) -> String {
        let texts = self.takes.iter().zip(values).map(|(leaf, value)| {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = write_text(&mut text, value);
            let text = String::from_utf8_lossy(&text).into_owned();
            let path = leaf.name.strip_prefix(self.parameter).unwrap_or(&leaf.name).trim_start_matches('.');
            if path.is_empty() { text } else { format!("{path} = {text}") }
        });
        let texts: Vec<String> = texts.collect();
        match &texts[..] {
            [one] => one.clone(),
            several => format!("{{{}}}", several.join(", ")),
        }
    }

    /// Returns a smaller value for which the property does not hold. If shrinking ends early, the error holds the smallest value so far
    /// and the reason.
    fn shrink(
        &self,
        values: &[Value],
        size: i64,
        seed: u64,
        random: &mut SmallRng,
    ) -> Result<Vec<Value>, (Vec<Value>, Unanswered)> {
        let mut smallest = values.to_vec();
        let Some(shrinker) = &self.wanted.shrinker else {
            for size in (1..size).rev() {
                let smaller = self.generate(size, seed).map_err(|why| (smallest.clone(), why))?;
                if !self.holds(&smaller).map_err(|why| (smallest.clone(), why))? {
                    smallest = smaller;
                }
            }
            return Ok(smallest);
        };
        let mut tries = 0;
        while tries < TRIES {
            tries += 1;
            let mut arguments = smallest.clone();
            arguments.push(Value::scalar(ValueType::U64, random.random::<i64>().into()));
            let smaller = self.call(shrinker, arguments);
            let smaller = smaller.map_err(|why| (smallest.clone(), format!("`{shrinker}` fails: {why}")))?;
            if !same(&smaller, &smallest) && !self.holds(&smaller).map_err(|why| (smallest.clone(), why))? {
                smallest = smaller;
                tries = 0;
            }
        }
        Ok(smallest)
    }
}

fn same(x: &[Value], y: &[Value]) -> bool {
    x.iter().zip(y).all(|(x, y)| x == y)
}

fn types(leaves: &[FlatType]) -> Vec<(ValueType, usize)> {
    leaves.iter().map(|leaf| (leaf.element, leaf.rank)).collect()
}
