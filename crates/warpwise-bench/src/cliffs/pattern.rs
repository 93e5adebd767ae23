//! A pattern: a sequence of operations, each under maps over some outer dimensions, on an array whose extents are left open.
//!
//! ```text
//! [][]f32: map scan, map sum  =>   entry main [n][m] (x: [n][m]f32) =
//!                                   let x = map (\x -> let x = scan (+) 0 x let x = reduce (+) 0 x in x) x
//!                                   in x
//! ```

use std::fmt;

use super::operation::{Effect, Element, Operation};

/// Names of the extents of the input, outermost first.
const EXTENTS: [&str; 3] = ["n", "m", "k"];

/// An operation, with the number of maps around it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Number of outer dimensions that it is mapped over.
    pub level: usize,
    /// The operation.
    pub operation: &'static Operation,
}

/// A nest with its extents left open.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Element type of the input.
    pub element: Element,
    /// Number of dimensions of the input, 1 to 3.
    pub rank: usize,
    /// Whether neighbouring steps under equally many maps share these.
    pub grouped: bool,
    /// Steps, in order.
    pub steps: Vec<Step>,
}

/// The known facts about the array between two steps.
#[derive(Clone, Debug)]
pub struct State {
    /// Element type.
    pub element: Element,
    /// Texts of the extents.
    pub extents: Vec<String>,
    /// Whether all ways to compute the floats of the array give the same result.
    pub exact: bool,
}

impl State {
    /// Returns the state of the input.
    fn start(element: Element, rank: usize) -> State {
        let extents = EXTENTS[..rank].iter().map(|name| name.to_string()).collect();
        State { element, extents, exact: true }
    }

    /// Returns whether a step may come next.
    pub fn allows(&self, step: &Step) -> bool {
        let Step { level, operation } = *step;
        let Some(inner) = self.extents.len().checked_sub(level) else { return false };
        let fits = if operation.of_rows { inner >= operation.takes } else { inner == operation.takes };
        let is_regular = operation.effect != Effect::Unknown || level == 0;
        let is_certain = !operation.decides || self.exact || !self.element.is_float();
        let grows = !matches!(operation.effect, Effect::Adds(_)) || self.extents.len() < 4;
        operation.elements.contain(self.element) && fits && is_regular && is_certain && grows
    }

    /// Fills the holes of a text for an operation at a level.
    fn fill(&self, text: &str, level: usize) -> String {
        let extent = |index: usize| self.extents.get(level + index).map_or("", String::as_str);
        self.element.fill(text).replace("{n}", extent(0)).replace("{m}", extent(1))
    }

    /// Returns the state after a step, which has the number `index`.
    fn after(&self, step: &Step, index: usize) -> State {
        let Step { level, operation } = *step;
        let mut next = self.clone();
        next.exact &= !operation.rounds || !self.element.is_float();
        match operation.effect {
            Effect::Keeps => {}
            Effect::Drops => drop(next.extents.remove(level)),
            Effect::DropsInner => drop(next.extents.remove(level + 1)),
            Effect::Outer(extent) => next.extents[level] = self.fill(extent, level),
            Effect::Unknown => next.extents[level] = format!("f{index}"),
            Effect::Adds(extent) => next.extents.push(extent.to_string()),
            Effect::Splits(outer, inner) => {
                next.extents[level] = self.fill(outer, level);
                next.extents.insert(level + 1, inner.to_string());
            }
            Effect::Swaps => next.extents.swap(level, level + 1),
            Effect::Merges => {
                let inner = next.extents.remove(level + 1);
                next.extents[level] = format!("({} * {inner})", next.extents[level]);
            }
            Effect::Becomes(element) => next.element = element,
        }
        next
    }
}

impl Pattern {
    /// Returns the state after the last step, or none if a step does not fit.
    pub fn end(&self) -> Option<State> {
        self.states().pop()
    }

    /// Returns the states before the steps and after the last one; empty if a step does not fit.
    fn states(&self) -> Vec<State> {
        let mut states = vec![State::start(self.element, self.rank)];
        for (index, step) in self.steps.iter().enumerate() {
            let state = &states[index];
            if !state.allows(step) {
                return Vec::new();
            }
            let next = state.after(step, index);
            states.push(next);
        }
        states
    }

    /// Returns the pattern without one of its steps, or none if the others do not fit.
    pub fn without(&self, index: usize) -> Option<Pattern> {
        let mut less = self.clone();
        less.steps.remove(index);
        less.end().map(|_| less)
    }

    /// Returns the steps as a line; commas separate steps that may share maps, semicolons separate others.
    pub fn steps_text(&self) -> String {
        let step = |step: &Step| format!("{}{}", "map ".repeat(step.level), step.operation.name);
        let steps: Vec<String> = self.steps.iter().map(step).collect();
        steps.join(if self.grouped { ", " } else { "; " })
    }

    /// Returns the program of a pattern whose steps fit.
    pub fn program(&self) -> String {
        let states = self.states();
        let sizes: String = EXTENTS[..self.rank].iter().map(|name| format!("[{name}]")).collect();
        let mut text = format!("entry main {sizes} (x: {sizes}{}) =\n", self.element.name());
        let mut index = 0;
        while index < self.steps.len() {
            let level = self.steps[index].level;
            let like = self.steps[index..].iter().take_while(|step| step.level == level).count();
            let number = if self.grouped && level > 0 { like } else { 1 };
            let range = index..index + number;
            let bodies: Vec<String> =
                range.map(|index| states[index].fill(self.steps[index].operation.text, level)).collect();
            let name = match self.steps[index].operation.effect {
                Effect::Unknown => typed(&states[index + 1]),
                _ => "x".to_string(),
            };
            text += &format!("  let {name} = {}\n", mapped(&bodies, level));
            index += number;
        }
        text + "  in x\n"
    }
}

/// Returns the array parameter with its type and the name of its outermost extent.
fn typed(State { element, extents, .. }: &State) -> String {
    let sizes: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
    format!("[{}] (x: {sizes}{})", extents[0], element.name())
}

/// Returns `level` maps around a sequence of bodies.
fn mapped(bodies: &[String], level: usize) -> String {
    match (level, bodies) {
        (0, [body]) => body.clone(),
        (0, bodies) => {
            let lets: String = bodies.iter().map(|body| format!("let x = {body} ")).collect();
            lets + "in x"
        }
        (level, bodies) => format!("map (\\x -> {}) x", mapped(bodies, level - 1)),
    }
}

/// Writes a pattern as a line: `[][]f32: map scan, map sum`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", "[]".repeat(self.rank), self.element.name(), self.steps_text())
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::{OPERATIONS, operation};
    use super::*;

    fn pattern(steps: &[(usize, &str)]) -> Pattern {
        let step = |(level, name): &(usize, &str)| Step {
            level: *level,
            operation: operation(name, Element::F32).unwrap(),
        };
        Pattern { element: Element::F32, rank: 2, grouped: true, steps: steps.iter().map(step).collect() }
    }

    #[test]
    fn neighbours_share_maps() {
        let nest = pattern(&[(1, "scan"), (1, "half"), (1, "sum"), (0, "reverse")]);
        assert_eq!(
            nest.program(),
            "entry main [n][m] (x: [n][m]f32) =\n  \
             let x = map (\\x -> let x = scan (+) 0 x let x = take (m / 2) x let x = reduce (+) 0 x in x) x\n  \
             let x = reverse x\n  in x\n"
        );
    }

    #[test]
    fn what_rounds_decides_nothing() {
        assert!(pattern(&[(1, "scan"), (1, "count")]).end().is_none());
        assert!(pattern(&[(1, "scan max"), (1, "count")]).end().is_some());
    }

    #[test]
    fn steps_are_dropped_where_the_others_fit() {
        let nest = pattern(&[(1, "sum"), (0, "reverse"), (1, "affine")]);
        assert!(nest.without(0).is_none());
        assert_eq!(nest.without(1).unwrap().to_string(), "[][]f32: map sum, map affine");
    }

    #[test]
    fn names_tell_operations_apart() {
        for element in Element::ALL {
            let of_type = OPERATIONS.iter().filter(|operation| operation.elements.contain(element));
            let mut names: Vec<&str> = of_type.map(|operation| operation.name).collect();
            let number = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), number);
        }
    }
}
