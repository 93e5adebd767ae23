//! Runs a pattern with `futhark bench`, on the same inputs as Warpwise.

use std::fs::File;
use std::path::Path;

use warpwise_ir::generate::Random;
use warpwise_runtime::formats::files::write_values;

use super::pattern::Pattern;
use super::trial::Contexts;
use super::{Point, draw};
use crate::suite::times_of_futhark;

/// Time limit for all shapes of a pattern, in seconds.
const SECONDS: u32 = 120;

/// Adds the times of Futhark's code, compiled for all cores.
pub fn add(points: &mut [Point], pattern: &Pattern, seed: u64, contexts: &Contexts) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut text = "-- ==\n".to_string();
    for (index, point) in points.iter().enumerate() {
        let input = draw::input(&mut Random::new(seed), pattern.element, &point.shape, contexts.memory())?;
        let written = File::create(folder.path().join(format!("{index}.in")))
            .and_then(|mut file| write_values(&mut file, &[input], true));
        written.map_err(|error| error.to_string())?;
        text += &format!("-- input @ {index}.in\n");
    }
    let program = folder.path().join("nest.fut");
    std::fs::write(&program, text + &pattern.program()).map_err(|error| error.to_string())?;
    let times = times_of_futhark("multicore", &program, SECONDS, Some(10))?;
    for ((_, case), microseconds) in times {
        let index = Path::new(&case).file_stem().and_then(|stem| stem.to_str()?.parse::<usize>().ok());
        if let Some(point) = index.and_then(|index| points.get_mut(index)) {
            point.theirs = Some(microseconds * 1e-6);
        }
    }
    Ok(())
}
