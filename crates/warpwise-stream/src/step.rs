//! Steps: an entry point mapped over a stream, a scan of two entry points that pass a state on, or a fold of three.

use warpwise_driver::{CallError, Entry, FlatType, Program};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;

/// A computation on consecutive chunks of a stream.
pub trait Step {
    /// Computes on a chunk: takes an array for each source and returns an array for each sink.
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError>;

    /// Computes on a part of the chunk whose call has failed, to find the reason. `None` if that is impossible because the chunk
    /// depends on earlier ones.
    fn attempt(&mut self, columns: Vec<Value>) -> Option<Result<Vec<Value>, CallError>> {
        Some(self.call(columns))
    }

    /// Returns the results that follow the last chunk of a stream that has ended by itself, an array for each sink; none if nothing
    /// follows.
    fn last(&mut self) -> Result<Vec<Value>, CallError> {
        Ok(Vec::new())
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

/// A scan by the entry points `init: () -> s`, `step: (arrays...) -> s -> (s, results...)` and, if there is one,
/// `last: s -> (results...)`.
///
/// Each chunk gets the state that the chunk before has given, in order. `init` and `step` may take fixed values first.
pub struct Scan<'p> {
    program: &'p Program,
    names: ScanNames,
    fixed: Vec<Value>,
    streamed: Vec<FlatType>,
    /// Names of the results.
    results: Vec<String>,
    state: Vec<Value>,
}

/// The entry points of a scan.
#[derive(Clone, Debug)]
pub struct ScanNames {
    /// Gives the first state.
    pub init: String,
    /// Takes a chunk and a state.
    pub step: String,
    /// Takes the last state, if the program has such an entry point.
    pub last: String,
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

impl<'p> Scan<'p> {
    /// Scans by the entry points of these names: the first parameters of `step` are `fixed`, and `init` takes either the same or
    /// nothing.
    pub fn new(program: &'p Program, names: ScanNames, fixed: Vec<Value>) -> Result<Scan<'p>, String> {
        let entry = |name: &str| program.entry(name).map_err(|error| error.to_string());
        let (init, step) = (entry(&names.init)?, entry(&names.step)?);
        let wrong = |name: &str, expected: &str| Err(format!("the entry point `{name}` must be {expected}"));
        let state = types(&init.results());
        let takes = init.parameters().len();
        if takes != 0 && takes != fixed.len() {
            let expected =
                "a state without parameters, or with those values that `step` takes before its arrays";
            return wrong(&names.init, expected);
        }
        let (parameters, results) = (step.parameters(), step.results());
        let streams = parameters.len().saturating_sub(fixed.len() + state.len());
        let streamed = parameters.get(fixed.len()..fixed.len() + streams).unwrap_or_default();
        let is_step = streams > 0
            && types(&parameters[fixed.len() + streams..]) == state
            && types(&results).starts_with(&state)
            && results.len() > state.len();
        if !is_step {
            let expected = format!(
                "of type (arrays...) -> s -> (s, arrays...), with the s of `{}`{}",
                names.init,
                if fixed.is_empty() { "" } else { ", after the values that are given" }
            );
            return wrong(&names.step, &expected);
        }
        check_streamed(&names.step, streamed)?;
        let given = &results[state.len()..];
        check_results(&names.step, given)?;
        let fits =
            |last: &Entry| types(&last.parameters()) == state && types(&last.results()) == types(given);
        if program.entry(&names.last).is_ok_and(|last| !fits(last)) {
            let expected = format!("of type s -> (arrays...), with the s and the arrays of `{}`", names.step);
            return wrong(&names.last, &expected);
        }
        let first = if takes == 0 { Vec::new() } else { fixed.clone() };
        let results = step.result_names(state.len());
        let streamed = streamed.to_vec();
        let state = program.call(&names.init, first).map_err(|error| error.to_string())?;
        Ok(Scan { program, names, fixed, streamed, results, state })
    }

    /// Returns the streamed parameters.
    pub fn streamed(&self) -> &[FlatType] {
        &self.streamed
    }

    /// Returns the names of the results, as [`Map::names`] does.
    pub fn names(&self) -> &[String] {
        &self.results
    }

    /// Returns the next state, followed by the results.
    fn step(&self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let arguments = self.fixed.iter().cloned().chain(columns).chain(self.state.iter().cloned());
        self.program.call(&self.names.step, arguments.collect())
    }
}

impl Step for Scan<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let mut state = self.step(columns)?;
        let results = state.split_off(self.state.len());
        // A failed call leaves the state, since it may be tried again when memory was short.
        self.state = state;
        Ok(results)
    }

    fn attempt(&mut self, columns: Vec<Value>) -> Option<Result<Vec<Value>, CallError>> {
        Some(self.step(columns))
    }

    fn last(&mut self) -> Result<Vec<Value>, CallError> {
        match self.program.entry(&self.names.last) {
            Ok(_) => self.program.call(&self.names.last, self.state.clone()),
            Err(_) => Ok(Vec::new()),
        }
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
