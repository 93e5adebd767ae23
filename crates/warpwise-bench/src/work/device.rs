//! The works measured on a device: works of the performance table, with sizes for a GPU, and the figure required of each.
//!
//! A GPU's caches hold 50 MB and more, and starting a kernel takes as long as moving some megabytes: works limited by memory have
//! several hundred megabytes. The limits of larger programs count the necessary work independently of the order: arrays larger
//! than the caches once per pass over them, and the operations on floats in the program.

use super::applications::{kmeans, locvolcalib, option_pricing, srad};
use super::table::{arithmetic, elementwise, hotspot, rearrangements, reductions, scaled, scans};
use super::{Limit, Work};

/// A work and the figure required of it on a device.
pub struct DeviceWork {
    /// The work.
    pub work: Work,
    /// The required figure.
    pub goal: DeviceGoal,
}

/// The measure of a row, with the value that it must reach.
#[derive(Clone, Copy, Debug)]
pub enum DeviceGoal {
    /// A share of the limit: bytes moved relative to those of a copy, or operations relative to those of multiply-adds.
    Share(f64),
    /// The time of the first available program of these over Warpwise's.
    Over(&'static [&'static str], f64),
    /// The time per byte of reducing one array to a number over Warpwise's.
    Flat(f64),
}

/// Returns all rows, with sizes multiplied by `scale`.
pub fn device_works(scale: f64) -> Vec<DeviceWork> {
    let mut works = primitives(scale);
    works.extend(products(scale));
    works.extend(programs(scale));
    works
}

/// Returns the works that one of the symbols names.
fn of(works: Vec<Work>, symbols: &[&str]) -> impl Iterator<Item = Work> {
    works.into_iter().filter(move |work| symbols.contains(&work.symbol))
}

fn asked(goal: DeviceGoal) -> impl Fn(Work) -> DeviceWork {
    move |work| DeviceWork { work, goal }
}

/// Returns the operations on whole arrays, of 1 GiB each.
fn primitives(scale: f64) -> Vec<DeviceWork> {
    let (long, scanned) = (scale * 2.684_354_56, scale * 5.368_709_12);
    let mut works: Vec<DeviceWork> =
        of(elementwise(long), &["map_f32"]).map(asked(DeviceGoal::Share(0.95))).collect();
    works.extend(of(reductions(long), &["sum_f32"]).map(asked(DeviceGoal::Share(0.95))));
    let scans = of(scans(scanned), &["inclusive_f32", "inclusive_i32"]);
    works.extend(scans.map(asked(DeviceGoal::Share(0.9))));
    works.extend(of(rearrangements(4.0 * scale), &["transpose_f32"]).map(asked(DeviceGoal::Share(0.9))));
    let over_cub = DeviceGoal::Over(&["CUB", "CuPy"], 1.0);
    works.extend(of(rearrangements(long), &["histogram"]).map(asked(over_cub)));
    let segments = of(rearrangements(long), &["rows"]).map(|work| {
        let (rows, elements) = (work.sizes[0], work.sizes[0] * work.sizes[1]);
        Work { limit: Some(Limit::Read((4 * (rows + elements)) as f64)), ..work }
    });
    works.extend(segments.map(asked(DeviceGoal::Flat(1.0 / 1.2))));
    works
}

/// Returns the works with handwritten kernels.
fn products(scale: f64) -> Vec<DeviceWork> {
    let hand = asked(DeviceGoal::Over(&["by hand"], 1.0));
    let mut works: Vec<DeviceWork> =
        of(arithmetic(4.0 * scale), &["nbody", "mandelbrot"]).map(&hand).collect();
    works.extend(of(arithmetic(10.0 * scale), &["blackscholes"]).map(&hand));
    // The other libraries pass the product on to cuBLAS, too.
    let libraries = DeviceGoal::Over(&["cuBLAS", "PyTorch", "CuPy", "JAX"], 0.7);
    works.extend(of(arithmetic(8.0 * scale), &["sgemm"]).map(asked(libraries)));
    works
}

/// Returns programs that are compared with the device's roofline.
fn programs(scale: f64) -> Vec<DeviceWork> {
    let roofline = asked(DeviceGoal::Share(0.6));
    let mut works = vec![heat(scaled(8192, scale.sqrt()))];
    let srad = srad(scaled(1000, (64.0 * scale).sqrt()));
    // One pass reads the picture and writes conductances, another reads both and writes the next picture, in 100 steps.
    let cells = (100 * srad.sizes[0] * srad.sizes[1]) as f64;
    works.push(Work { limit: Some(Limit::CopyAndRead(16.0 * cells, 4.0 * cells)), ..srad });
    let kmeans = kmeans(scaled(494_019, 8.0 * scale));
    // The points are read ten times.
    let bytes = (10 * 4 * kmeans.sizes[0] * kmeans.sizes[1]) as f64;
    works.push(Work { limit: Some(Limit::Read(bytes)), ..kmeans });
    works.push(volatility(scale));
    let options = option_pricing(scaled(131_072, 8.0 * scale));
    // For each underlying, date and path, 34 operations make a number normal, six belong to the bridge, and eight to the price.
    let numbers = [2, 3, 5].map(|at| options.sizes[at] as f64).iter().product::<f64>();
    works.push(Work { limit: Some(Limit::Operations(48.0 * numbers)), ..options });
    works.into_iter().map(roofline).collect()
}

/// Returns the heat work. A step reads temperatures and powers and writes temperatures. Steps are few, because they are too long
/// for cells as small as these: temperatures grow seventyfold in each.
fn heat(side: usize) -> Work {
    let steps = 10;
    let bytes = 12.0 * (side * side) as f64 * f64::from(steps);
    Work { limit: Some(Limit::Triad(bytes)), ..hotspot(side, steps) }
}

/// Returns the large data set of LocVolCalib. A step goes along x and along y: each time the grid is read and written, and the
/// first keeps the result of y for the second.
fn volatility(scale: f64) -> Work {
    let shrunk = |size: usize, least| ((size as f64 * scale.cbrt()) as usize).max(least);
    let (outer, points) = (shrunk(256, 3), [shrunk(256, 16), shrunk(256, 8), shrunk(64, 5)]);
    let cells = outer * points[0] * points[1] * (points[2] - 1);
    Work { limit: Some(Limit::Copy(24.0 * cells as f64)), ..locvolcalib("LocVolCalib large", outer, points) }
}
