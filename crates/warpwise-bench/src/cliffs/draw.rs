//! Draws patterns, shapes and inputs from a seed. The same seed gives the same results on every machine.

use warpwise_ir::generate::Random;
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;

use super::grid::Grid;
use super::operation::{Element, OPERATIONS};
use super::pattern::{Pattern, Step};

/// Maximum number of steps of a pattern.
const STEPS: usize = 4;

/// Returns every operation that applies to a matrix or its parts, alone and under as many maps as possible, for the table.
pub fn single(element: Element) -> Vec<Pattern> {
    let of_type = OPERATIONS.iter().filter(|operation| operation.elements.contain(element));
    let alone = |operation| {
        let step = |level| Step { level, operation };
        let pattern = |level| Pattern { element, rank: 2, grouped: true, steps: vec![step(level)] };
        (0..=2).rev().map(pattern).find(|pattern| pattern.end().is_some())
    };
    of_type.filter_map(alone).collect()
}

/// Draws a pattern.
pub fn pattern(random: &mut Random) -> Pattern {
    let (element, rank) = (random.pick(&Element::ALL), 1 + random.below(3));
    let mut pattern = Pattern { element, rank, grouped: random.chance(1, 2), steps: Vec::new() };
    let number = 1 + random.below(STEPS);
    while pattern.steps.len() < number {
        let state = pattern.end().expect("only steps that fit are added");
        let levels = 0..=state.extents.len();
        let all = OPERATIONS
            .iter()
            .flat_map(|operation| levels.clone().map(move |level| Step { level, operation }));
        let fitting: Vec<Step> = all.filter(|step| state.allows(step)).collect();
        pattern.steps.push(random.pick(&fitting));
    }
    pattern
}

/// Draws `number` shapes of `rank` dimensions.
pub fn shapes(random: &mut Random, rank: usize, total: i64, number: usize) -> Vec<Vec<i64>> {
    let grid = Grid::of(rank, total);
    (0..number).map(|_| random.pick(&grid.shapes)).collect()
}

/// Draws an input: floats are multiples of 1/256 below 1, so that short sums of them are exact, and integers are small.
pub fn input(
    random: &mut Random,
    element: Element,
    shape: &[i64],
    memory: &MemoryPool,
) -> Result<Value, String> {
    let count = shape.iter().product::<i64>() as usize;
    let unit = |random: &mut Random| f64::from(random.bits() as u8) / 256.0;
    let small = |random: &mut Random| random.below(101) as i16;
    macro_rules! value {
        ($draw:expr) => {{
            let elements: Vec<_> = (0..count).map(|_| $draw).collect();
            Value::from_slice(memory, shape, &elements)
        }};
    }
    let value = match element {
        Element::U8 => value!(small(random) as u8),
        Element::I16 => value!(small(random)),
        Element::I32 => value!(i32::from(small(random))),
        Element::F32 => value!(unit(random) as f32),
        Element::I64 => value!(i64::from(small(random))),
        Element::F64 => value!(unit(random)),
    };
    value.map_err(|error| error.to_string())
}
