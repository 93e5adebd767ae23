//! Steps: an entry point mapped over a stream, or a fold of three entry points.

use warpwise_driver::{CallError, FlatType, Program};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;

/// A computation on consecutive chunks of a stream.
pub trait Step {
    /// Computes on a chunk: takes an array for each source and returns an array for each sink.
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError>;

    /// Returns whether the results of a chunk do not depend on earlier chunks, so that a failing chunk may be computed again.
    fn is_repeatable(&self) -> bool {
        true
    }
}

/// A map by an entry point that takes and returns arrays, whose rows are the elements.
pub struct Map<'p> {
    program: &'p Program,
    entry: String,
    fixed: Vec<Value>,
    streamed: Vec<FlatType>,
    results: Vec<FlatType>,
    names: Vec<String>,
}

/// A fold by the entry points `init: () -> s`, `step: (arrays...) -> s -> s` and `merge: s -> s -> s`.
///
/// Every chunk is folded by itself, `step chunk init`. A fixed tree of `merge` over the numbers of the chunks, like the carries
/// of a binary counter, combines the results. So the result depends only on how the stream is divided into chunks, and chunks may
/// be folded on other machines.
pub struct Fold<'p> {
    program: &'p Program,
    names: [String; 3],
    streamed: Vec<FlatType>,
    /// The folds of 2^i chunks each, where present; the first entries belong to the latest chunks.
    parts: Vec<Option<Vec<Value>>>,
}

impl<'p> Map<'p> {
    /// Maps an entry point: its first parameters are `fixed`, the others are streamed.
    pub fn new(program: &'p Program, entry: &str, fixed: Vec<Value>) -> Result<Map<'p>, String> {
        let found = program.entry(entry).map_err(|error| error.to_string())?;
        let (parameters, results) = (found.parameters(), found.results());
        let Some(streamed) = parameters.get(fixed.len()..).filter(|streamed| !streamed.is_empty()) else {
            return Err(format!(
                "the entry point `{entry}` takes {} values, so none is streamed",
                parameters.len()
            ));
        };
        check_streamed(entry, streamed)?;
        check_results(entry, &results)?;
        let names = found.result_names(0);
        let (entry, streamed) = (entry.to_string(), streamed.to_vec());
        Ok(Map { program, entry, fixed, streamed, results, names })
    }

    /// Returns the streamed parameters.
    pub fn streamed(&self) -> &[FlatType] {
        &self.streamed
    }

    /// Returns the types of the results.
    pub fn results(&self) -> &[FlatType] {
        &self.results
    }

    /// Returns the names of the results: that of the field of a record, and the number of a component of a tuple. A single result
    /// without fields has an empty name.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl Step for Map<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let arguments = self.fixed.iter().cloned().chain(columns).collect();
        self.program.call(&self.entry, arguments)
    }
}

impl<'p> Fold<'p> {
    /// Folds by the entry points `init`, `step` and `merge`.
    pub fn new(program: &'p Program, names: [String; 3]) -> Result<Fold<'p>, String> {
        let [init, step, merge] = &names;
        let entry = |name: &str| program.entry(name).map_err(|error| error.to_string());
        let (init, step, merge) = (entry(init)?, entry(step)?, entry(merge)?);
        let state: Vec<(ValueType, usize)> = types(&init.results());
        let parameters = step.parameters();
        let wrong = |name: &str, expected: &str| format!("the entry point `{name}` must be {expected}");
        if !init.parameters().is_empty() {
            return Err(wrong(&names[0], "a state without parameters"));
        }
        let streams = parameters.len().saturating_sub(state.len());
        if streams == 0 || types(&parameters[streams..]) != state || types(&step.results()) != state {
            return Err(wrong(
                &names[1],
                &format!("of type (arrays...) -> s -> s, with the s of `{}`", names[0]),
            ));
        }
        if types(&merge.parameters()) != [&state[..], &state].concat() || types(&merge.results()) != state {
            return Err(wrong(&names[2], &format!("of type s -> s -> s, with the s of `{}`", names[0])));
        }
        check_streamed(&names[1], &parameters[..streams])?;
        let streamed = parameters[..streams].to_vec();
        Ok(Fold { program, names, streamed, parts: Vec::new() })
    }

    /// Returns the streamed parameters.
    pub fn streamed(&self) -> &[FlatType] {
        &self.streamed
    }

    /// Returns the state after all chunks.
    pub fn finish(self) -> Result<Vec<Value>, CallError> {
        let mut parts = self.parts.into_iter().flatten();
        match parts.next() {
            None => self.program.call(&self.names[0], Vec::new()),
            Some(last) => {
                parts.try_fold(last, |later, earlier| merged(self.program, &self.names[2], earlier, later))
            }
        }
    }
}

impl Step for Fold<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let state = self.program.call(&self.names[0], Vec::new())?;
        let mut state = self.program.call(&self.names[1], columns.into_iter().chain(state).collect())?;
        for part in &mut self.parts {
            match part.take() {
                Some(earlier) => state = merged(self.program, &self.names[2], earlier, state)?,
                None => {
                    *part = Some(state);
                    return Ok(Vec::new());
                }
            }
        }
        self.parts.push(Some(state));
        Ok(Vec::new())
    }
}

fn merged(
    program: &Program,
    name: &str,
    earlier: Vec<Value>,
    later: Vec<Value>,
) -> Result<Vec<Value>, CallError> {
    program.call(name, earlier.into_iter().chain(later).collect())
}

fn types(flat: &[FlatType]) -> Vec<(ValueType, usize)> {
    flat.iter().map(|ty| (ty.element, ty.rank)).collect()
}

fn check_results(entry: &str, results: &[FlatType]) -> Result<(), String> {
    match results.iter().find(|result| result.rank == 0) {
        None => Ok(()),
        Some(scalar) => {
            let message = "is no array, so it cannot be the elements of a stream; a fold gives such results";
            Err(format!("a result of the entry point `{entry}`, of type {scalar}, {message}"))
        }
    }
}

fn check_streamed(entry: &str, streamed: &[FlatType]) -> Result<(), String> {
    match streamed.iter().find(|parameter| parameter.rank == 0) {
        None => Ok(()),
        Some(scalar) => Err(format!(
            "the parameter `{}` of the entry point `{entry}` is a {scalar}, not an array that could be streamed",
            scalar.name
        )),
    }
}
