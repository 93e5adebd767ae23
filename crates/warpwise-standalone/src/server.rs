//! Programs as servers: commands on standard input, one per line; answers on standard output.
//!
//! ```text
//! > restore xs.bin xs []f32          %%% OK
//! > call mean m xs                   runtime: 12
//!                                    %%% OK
//! > type nothing                     %%% FAILURE
//!                                    Unknown variable: nothing
//!                                    %%% OK
//! ```
//!
//! The protocol is the one that Futhark documents. `outputs`, and `call` with a variable for each part of a tuple, belong to its older
//! versions, for clients that use those. An interrupted call (see [`signals`]) is a failed command.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::Path;
use std::time::Instant;

use warpwise_prim::ValueType;
use warpwise_runtime::formats::files::read_file;

use crate::abi::guarded;
use crate::interface::{EntryInterface, Field, Kind, NamedType, Output, TypeRef};
use crate::program::Program;
use crate::report::report;
use crate::signals;
use crate::transfer::{expected, group, write_held};
use crate::value::{Held, Problem, Values, misuse};

/// The lines that a command prints.
type Answer = Result<Vec<String>, Problem>;

/// A program with its variables.
struct Server<'p> {
    program: &'p Program,
    parameters: &'p [String],
    /// Whether calls are recorded, unless that is paused.
    profiling: bool,
    /// Tuning parameters that are set, by name.
    tuning: HashMap<String, i64>,
    variables: BTreeMap<String, Held>,
}

/// Serves until standard input ends. With `profiling`, calls are recorded for reports.
pub fn serve(
    program: &Program,
    parameters: &[String],
    tuning: &HashMap<String, i64>,
    profiling: bool,
) -> Result<(), Problem> {
    if profiling {
        program.start_steps();
    }
    let (tuning, variables) = (tuning.clone(), BTreeMap::new());
    let mut server = Server { program, parameters, profiling, tuning, variables };
    let mut output = io::stdout().lock();
    let unwritable = |error: io::Error| Problem::Other(format!("cannot write to standard output: {error}"));
    writeln!(output, "%%% OK").and_then(|()| output.flush()).map_err(unwritable)?;
    let mut input = io::stdin().lock();
    let unreadable = |error: io::Error| Problem::Other(format!("cannot read standard input: {error}"));
    while let Some(line) = next_line(&mut input, LONGEST_LINE).map_err(unreadable)? {
        let mut text = String::new();
        match line.and_then(|line| guarded(|| server.command(&line))) {
            Ok(lines) => lines.iter().for_each(|line| text += &format!("{line}\n")),
            Err(problem) => text = format!("%%% FAILURE\n{}\n", problem.message()),
        }
        text += "%%% OK\n";
        output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(unwritable)?;
        signals::end_if_asked();
    }
    Ok(())
}

/// Maximum length of a command line, in bytes.
const LONGEST_LINE: usize = 64 << 20;

/// Reads the next line; `None` at the end. A line that is too long or not UTF-8 is a problem. Bytes beyond the maximum length are read,
/// but not kept.
fn next_line(input: &mut impl BufRead, longest: usize) -> io::Result<Option<Result<String, Problem>>> {
    let mut line = Vec::new();
    let at_most = longest as u64 + 1;
    if input.by_ref().take(at_most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > longest {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(misuse(&format!("The line is longer than {longest} bytes.")))));
    }
    Ok(Some(String::from_utf8(line).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        misuse(&format!("The line is not UTF-8: byte {place} is wrong."))
    })))
}

/// Splits a line into words, at blanks. A word in quotes may contain blanks.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word);
        rest = after.trim_start();
    }
    words
}

impl<'p> Server<'p> {
    fn command(&mut self, line: &str) -> Answer {
        let words = words(line);
        let Some((&command, arguments)) = words.split_first() else { return Err(misuse("Empty line")) };
        match (command, arguments) {
            ("types", []) => Ok(self.types()),
            ("entry_points", []) => {
                Ok(self.program.interface.entries.iter().map(|entry| entry.name.clone()).collect())
            }
            ("call", [entry, variables @ ..]) => self.call(entry, variables),
            ("restore", [file, pairs @ ..]) if pairs.len() % 2 == 0 => self.restore(file, pairs),
            ("store", [file, names @ ..]) => self.store(file, names),
            ("free", names) => {
                names.iter().try_for_each(|name| self.variable(name).map(|_| ()))?;
                names.iter().for_each(|name| drop(self.variables.remove(*name)));
                Ok(Vec::new())
            }
            ("rename", [old, new]) => {
                self.variable(old)?;
                self.is_free(new)?;
                let value = self.variables.remove(*old).ok_or_else(|| unknown(old))?;
                self.define(new, value)
            }
            ("inputs", [entry]) => self.inputs(entry),
            ("output", [entry]) => Ok(vec![self.result(&self.entry(entry)?.1.output)]),
            ("outputs", [entry]) => {
                Ok(self.entry(entry)?.1.outputs.iter().map(|output| self.result(output)).collect())
            }
            ("clear", []) => {
                self.program.memory().trim();
                Ok(Vec::new())
            }
            ("pause_profiling", []) => {
                self.program.stop_profile();
                Ok(Vec::new())
            }
            ("unpause_profiling", []) => {
                if self.profiling {
                    self.program.start_profile();
                }
                Ok(Vec::new())
            }
            ("report", []) => Ok(vec![report(self.program)]),
            ("set_tuning_param", [name, value]) => self.set_tuning_param(name, value),
            ("tuning_params", [entry]) => {
                self.entry(entry)?;
                Ok(self.parameters.iter().map(|name| format!("{name} threshold")).collect())
            }
            ("tuning_param_class", [name]) => match self.parameters.iter().any(|known| known == name) {
                true => Ok(vec!["threshold".to_string()]),
                false => Err(misuse(&format!("Unknown tuning parameter: {name}"))),
            },
            // Attributes do not survive compilation.
            ("attributes", [entry]) => self.entry(entry).map(|_| Vec::new()),
            ("type", [name]) => Ok(vec![self.name(self.variable(name)?.ty)]),
            _ => self.type_command(command, arguments),
        }
    }

    /// Runs a command about types, or about values of certain types.
    fn type_command(&mut self, command: &str, arguments: &[&str]) -> Answer {
        match (command, arguments) {
            ("kind", [ty]) => Ok(vec![self.kind(self.ty(ty)?).to_string()]),
            ("rank", [ty]) => match crate::value::rank(&self.program.interface, self.ty(ty)?) {
                0 => Err(misuse("Not an array type")),
                rank => Ok(vec![rank.to_string()]),
            },
            ("elemtype", [ty]) => Ok(vec![self.name(self.values().element(self.ty(ty)?)?)]),
            ("shape", [name]) => {
                let value = self.variable(name)?;
                self.values().element(value.ty)?;
                Ok(value.shape.iter().map(i64::to_string).collect())
            }
            ("new_array", [name, ty, rest @ ..]) => self.new_array(name, ty, rest),
            ("index", [to, from, index @ ..]) => {
                let element = self.values().index(self.variable(from)?, &numbers(index)?)?;
                self.define(to, element)
            }
            ("set", [array, element, index @ ..]) => {
                let (element, index) = (self.variable(element)?.clone(), numbers(index)?);
                let values = self.values();
                let array = self.variables.get_mut(*array).ok_or_else(|| unknown(array))?;
                values.set(array, &index, &element).map(|()| Vec::new())
            }
            ("fields", [ty]) => {
                let line = |field: &Field| format!("{} {}", field.name, self.name(field.ty));
                Ok(self.fields(self.ty(ty)?)?.iter().map(line).collect())
            }
            ("new" | "zip", [to, ty, parts @ ..]) => {
                let parts = parts.iter().map(|name| self.variable(name)).collect::<Result<Vec<_>, _>>()?;
                let value = self.values().assemble(self.ty(ty)?, &parts)?;
                self.define(to, value)
            }
            ("project", [to, from, field]) => {
                let value = self.variable(from)?;
                let number = self.fields(value.ty)?.iter().position(|known| known.name == *field);
                let number = number.ok_or_else(|| misuse(&format!("No such field: {field}")))?;
                let part = self.values().project(value, number)?;
                self.define(to, part)
            }
            ("unzip", [from, names @ ..]) => {
                let value = self.variable(from)?;
                let count = self.fields(value.ty)?.len();
                let parts = (0..count).map(|field| self.values().project(value, field));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                self.define_all(names, parts)
            }
            ("variants" | "construct" | "destruct" | "variant", _) => self.sum_command(command, arguments),
            _ => Err(misuse(&format!("Unknown command, or wrong number of arguments: {command}"))),
        }
    }

    fn sum_command(&mut self, command: &str, arguments: &[&str]) -> Answer {
        match (command, arguments) {
            ("variants", [ty]) => {
                let mut lines = Vec::new();
                for (name, payload) in self.variants(self.ty(ty)?)? {
                    lines.push(name);
                    lines.extend(payload.iter().map(|&ty| format!("- {}", self.name(ty))));
                }
                Ok(lines)
            }
            ("construct", [to, ty, variant, parts @ ..]) => {
                let ty = self.ty(ty)?;
                let number = self.variants(ty)?.iter().position(|(name, _)| name == variant);
                let number = number.ok_or_else(|| misuse(&format!("No such variant: {variant}")))?;
                let parts = parts.iter().map(|name| self.variable(name)).collect::<Result<Vec<_>, _>>()?;
                let value = self.values().construct(ty, number, &parts)?;
                self.define(to, value)
            }
            ("destruct", [from, names @ ..]) => {
                let value = self.variable(from)?;
                let parts = self.values().destruct(value, self.values().variant(value)?)?;
                self.define_all(names, parts)
            }
            ("variant", [name]) => {
                let value = self.variable(name)?;
                let number = self.values().variant(value)?;
                Ok(self.variants(value.ty)?.into_iter().skip(number).take(1).map(|(name, _)| name).collect())
            }
            _ => Err(misuse(&format!("Wrong number of arguments: {command}"))),
        }
    }

    fn types(&self) -> Vec<String> {
        let scalars = ValueType::ALL.into_iter().map(|ty| ty.name().to_string());
        scalars.chain(self.program.interface.types.iter().map(|ty| ty.name.clone())).collect()
    }

    fn call(&mut self, name: &str, variables: &[&str]) -> Answer {
        let (number, entry) = self.entry(name)?;
        let (takes, parts) = (entry.inputs.len(), entry.outputs.len());
        // Clients of older protocol versions name a variable for each part of a tuple.
        let gives = if parts != 1 && variables.len() == parts + takes { parts } else { 1 };
        if variables.len() != gives + takes {
            let found = variables.len() as i64 - 1;
            return Err(misuse(&format!("{takes} inputs expected, but {} given.", found.max(0))));
        }
        let (results, arguments) = variables.split_at(gives);
        for (input, argument) in entry.inputs.iter().zip(arguments) {
            let value = self.variable(argument)?;
            if value.ty != input.ty {
                let (expected, found) = (self.name(input.ty), self.name(value.ty));
                return Err(misuse(&format!("Wrong input type.  Expected {expected}, got {found}.")));
            }
        }
        results.iter().try_for_each(|name| self.is_free(name))?;
        for (at, name) in results.iter().enumerate() {
            if results[..at].contains(name) {
                return Err(misuse(&format!("Variable already exists: {name}")));
            }
        }
        let held = arguments.iter().map(|name| self.variable(name)).collect::<Result<Vec<&Held>, _>>()?;
        let start = Instant::now();
        let leaves = self.program.lent(number, &held)?;
        let names = entry.inputs.iter().zip(arguments).filter(|(input, _)| input.is_consumed());
        let names: Vec<&str> = names.map(|(_, name)| *name).collect();
        // No variable is consumed twice, so each name is there.
        let mut taken: Vec<(String, Held)> =
            names.iter().filter_map(|&name| self.variables.remove_entry(name)).collect();
        let outputs: Vec<TypeRef> = entry.outputs.iter().map(|output| output.ty).collect();
        let mut consumed: Vec<&mut Held> = taken.iter_mut().map(|(_, value)| value).collect();
        let call = || self.program.call(number, leaves, &mut consumed);
        let value = signals::calling(self.program.cancel_flag(), call);
        let time = start.elapsed();
        self.variables.extend(taken);
        let value = value?;
        if gives == 1 && parts != gives || parts == 1 {
            self.define(results[0], value)?;
        } else {
            self.define_all(results, group(&self.program.interface, &outputs, value.leaves))?;
        }
        Ok(vec![format!("runtime: {}", time.as_micros())])
    }

    fn restore(&mut self, file: &str, pairs: &[&str]) -> Answer {
        let mut types = Vec::new();
        for pair in pairs.chunks_exact(2) {
            self.is_free(pair[0])?;
            types.push(self.ty(pair[1])?);
        }
        let interface = &self.program.interface;
        let leaves: Vec<_> = types.iter().flat_map(|&ty| expected(interface, ty)).collect();
        let values = read_file(Path::new(file), Some(&leaves), self.program.memory());
        let values = values.map_err(|error| misuse(&error.to_string()))?;
        let names: Vec<&str> = pairs.iter().copied().step_by(2).collect();
        self.define_all(&names, group(interface, &types, values))
    }

    fn store(&self, file: &str, names: &[&str]) -> Answer {
        let values = names.iter().map(|name| self.variable(name)).collect::<Result<Vec<_>, _>>()?;
        values.iter().try_for_each(|value| self.values().usable(value))?;
        let write = || -> io::Result<()> {
            // The file is written in place, not under another name and renamed: clients create the file, and read the one that they
            // have open.
            let mut output = BufWriter::new(File::create(file)?);
            values.iter().try_for_each(|value| write_held(&mut output, value))?;
            output.flush()
        };
        write().map_err(|error| misuse(&format!("Failed to open {file}: {error}")))?;
        Ok(Vec::new())
    }

    /// Sets a tuning parameter for later calls.
    fn set_tuning_param(&mut self, name: &str, value: &str) -> Answer {
        let failed = |reason| misuse(&format!("Failed to set tuning parameter {name} to {value}: {reason}"));
        if !self.parameters.iter().any(|known| known == name) {
            return Err(failed("there is no such parameter"));
        }
        let value = value.parse().map_err(|_| failed("the value is no integer"))?;
        self.tuning.insert(name.to_string(), value);
        self.program.tune(self.tuning.clone());
        Ok(Vec::new())
    }

    fn inputs(&self, entry: &str) -> Answer {
        let (_, entry) = self.entry(entry)?;
        Ok(entry.inputs.iter().map(|input| self.starred(input.unique, input.ty)).collect())
    }

    fn result(&self, output: &Output) -> String {
        self.starred(output.unique, output.ty)
    }

    fn starred(&self, unique: bool, ty: TypeRef) -> String {
        format!("{}{}", if unique { "*" } else { "" }, self.name(ty))
    }

    fn new_array(&mut self, to: &str, ty: &str, rest: &[&str]) -> Answer {
        let ty = self.ty(ty)?;
        let rank = crate::value::rank(&self.program.interface, ty);
        if rank == 0 {
            return Err(misuse("Not an array type"));
        }
        if rest.len() < rank {
            return Err(misuse(&format!("Expected {rank} dimensions, but got {}.", rest.len())));
        }
        let (shape, elements) = rest.split_at(rank);
        let elements = elements.iter().map(|name| self.variable(name)).collect::<Result<Vec<_>, _>>()?;
        let array = self.values().array(ty, &numbers(shape)?, &elements)?;
        self.define(to, array)
    }

    // Lookups.

    fn values(&self) -> Values<'p> {
        self.program.values()
    }

    fn name(&self, ty: TypeRef) -> String {
        self.program.interface.name(ty).to_string()
    }

    fn ty(&self, name: &str) -> Result<TypeRef, Problem> {
        self.program.interface.find(name).ok_or_else(|| misuse(&format!("Unknown type: {name}")))
    }

    fn named(&self, ty: TypeRef) -> Option<&NamedType> {
        match ty {
            TypeRef::Scalar(_) => None,
            TypeRef::Named(number) => self.program.interface.types.get(number),
        }
    }

    fn kind(&self, ty: TypeRef) -> &'static str {
        match self.named(ty).map(|ty| &ty.kind) {
            None => "primitive",
            Some(Kind::Array { .. } | Kind::OpaqueArray { .. }) => "array",
            Some(Kind::Record(_)) => "record",
            Some(Kind::Sum(_)) => "sum",
        }
    }

    fn fields(&self, ty: TypeRef) -> Result<&[Field], Problem> {
        match self.named(ty).map(|ty| &ty.kind) {
            Some(Kind::Record(fields) | Kind::OpaqueArray { fields: Some(fields), .. }) => Ok(fields),
            Some(Kind::OpaqueArray { .. } | Kind::Array { .. } | Kind::Sum(_)) | None => {
                Err(misuse("Not a record type"))
            }
        }
    }

    fn variants(&self, ty: TypeRef) -> Result<Vec<(String, Vec<TypeRef>)>, Problem> {
        match self.named(ty).map(|ty| &ty.kind) {
            Some(Kind::Sum(variants)) => {
                let types = |variant: &crate::interface::SumVariant| {
                    variant.payload.iter().map(|(ty, _)| *ty).collect()
                };
                Ok(variants.iter().map(|variant| (variant.name.clone(), types(variant))).collect())
            }
            Some(Kind::Record(_) | Kind::OpaqueArray { .. } | Kind::Array { .. }) | None => {
                Err(misuse("Not a sum type"))
            }
        }
    }

    fn entry(&self, name: &str) -> Result<(usize, &'p EntryInterface), Problem> {
        let found = self.program.interface.entries.iter().enumerate().find(|(_, entry)| entry.name == name);
        found.ok_or_else(|| misuse(&format!("Unknown entry point: {name}")))
    }

    fn variable(&self, name: &str) -> Result<&Held, Problem> {
        self.variables.get(name).ok_or_else(|| unknown(name))
    }

    fn is_free(&self, name: &str) -> Result<(), Problem> {
        match self.variables.contains_key(name) {
            true => Err(misuse(&format!("Variable already exists: {name}"))),
            false => Ok(()),
        }
    }

    fn define(&mut self, name: &str, value: Held) -> Answer {
        self.define_all(&[name], vec![value])
    }

    fn define_all(&mut self, names: &[&str], values: Vec<Held>) -> Answer {
        if names.len() != values.len() {
            return Err(misuse(&format!("{} names expected but {} provided.", values.len(), names.len())));
        }
        names.iter().try_for_each(|name| self.is_free(name))?;
        self.variables.extend(names.iter().map(|name| name.to_string()).zip(values));
        Ok(Vec::new())
    }
}

fn unknown(name: &str) -> Problem {
    misuse(&format!("Unknown variable: {name}"))
}

fn numbers(words: &[&str]) -> Result<Vec<i64>, Problem> {
    let number = |word: &&str| word.parse().map_err(|_| misuse(&format!("Invalid number: {word}")));
    words.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_lines_are_errors_of_their_own() {
        let mut input: &[u8] = b"one\n\xff\nfar too long\n12345678\nlast";
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, 8).unwrap() {
            lines.push(line.map_err(|problem| problem.message().to_string()));
        }
        let wrong = |message: &str| Err(message.to_string());
        let right = |line: &str| Ok(line.to_string());
        let expected = [
            right("one"),
            wrong("The line is not UTF-8: byte 1 is wrong."),
            wrong("The line is longer than 8 bytes."),
            right("12345678"),
            right("last"),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn words_may_be_quoted() {
        assert_eq!(words("call f  x"), ["call", "f", "x"]);
        assert_eq!(words(r#" restore "a b" x "(i32, f32)""#), ["restore", "a b", "x", "(i32, f32)"]);
        assert_eq!(words(r#""open"#), ["open"]);
        assert!(words("  ").is_empty());
    }
}
