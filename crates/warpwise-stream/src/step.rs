//! Steps: an entry point mapped over a stream, or a fold of three entry points.

use warpwise_driver::{CallError, FlatType, Program};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;

/// A computation on consecutive pieces of a stream.
pub trait Step {
    /// Takes a piece: an array for each source. Gives arrays, one for each sink.
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError>;

    /// Whether what a piece comes to does not depend on the pieces before it, so that a failing one may be looked at again.
    fn is_repeatable(&self) -> bool {
        true
    }
}

/// An entry point that takes arrays and gives arrays, whose rows are the elements.
pub struct Map<'p> {
    program: &'p Program,
    entry: String,
    fixed: Vec<Value>,
    streamed: Vec<FlatType>,
    results: Vec<FlatType>,
}

/// The entry points `init: () -> s`, `step: (pieces...) -> s -> s` and `merge: s -> s -> s`.
///
/// Every piece is folded by itself, `step piece init`; a fixed tree of `merge` over the numbers of the pieces, like
/// the carries of a binary counter, combines them. So the result is decided by how the stream is cut into pieces, and
/// by nothing else, and pieces may be folded on other machines.
pub struct Fold<'p> {
    program: &'p Program,
    names: [String; 3],
    streamed: Vec<FlatType>,
    /// The folds of 2^i pieces each, where there are any; the later pieces come first.
    parts: Vec<Option<Vec<Value>>>,
}

impl<'p> Map<'p> {
    /// Maps an entry point whose last `streams` parameters are streamed and whose first ones are `fixed`.
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
        if let Some(scalar) = results.iter().find(|result| result.rank == 0) {
            let message = "is no array, so it cannot be the elements of a stream; a fold gives such results";
            return Err(format!("a result of the entry point `{entry}`, of type {scalar}, {message}"));
        }
        let (entry, streamed) = (entry.to_string(), streamed.to_vec());
        Ok(Map { program, entry, fixed, streamed, results })
    }

    /// The parameters that are streamed.
    pub fn streamed(&self) -> &[FlatType] {
        &self.streamed
    }

    /// Returns the types of the results.
    pub fn results(&self) -> &[FlatType] {
        &self.results
    }
}

impl Step for Map<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let arguments = self.fixed.iter().cloned().chain(columns).collect();
        self.program.call(&self.entry, arguments)
    }
}

impl<'p> Fold<'p> {
    /// Folds with these entry points: `init`, `step`, `merge`.
    pub fn new(program: &'p Program, names: [String; 3]) -> Result<Fold<'p>, String> {
        let [init, step, merge] = &names;
        let entry = |name: &str| program.entry(name).map_err(|error| error.to_string());
        let (init, step, merge) = (entry(init)?, entry(step)?, entry(merge)?);
        let types = |flat: &[FlatType]| flat.iter().map(|ty| (ty.element, ty.rank)).collect::<Vec<_>>();
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

    /// The parameters that are streamed.
    pub fn streamed(&self) -> &[FlatType] {
        &self.streamed
    }

    /// The state after all pieces.
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

fn check_streamed(entry: &str, streamed: &[FlatType]) -> Result<(), String> {
    match streamed.iter().find(|parameter| parameter.rank == 0) {
        None => Ok(()),
        Some(scalar) => Err(format!(
            "the parameter `{}` of the entry point `{entry}` is a {scalar}, not an array that could be streamed",
            scalar.name
        )),
    }
}
