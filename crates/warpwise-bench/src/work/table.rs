//! The rows of the performance table.

use super::applications::applications;
use super::inputs::{f32s, f64s, i32s};
use super::irregular::irregular;
use super::{Goal, Limit, Output, Work};
use crate::compare::{CLOSE, MOSTLY};
use crate::value::{Kind, Value};

/// Returns all works, with sizes multiplied by `scale`.
pub fn works(scale: f64) -> Vec<Work> {
    let mut works = elementwise(scale);
    works.extend(reductions(scale));
    works.extend(scans(scale));
    works.extend(filters(scale));
    works.extend(rearrangements(scale));
    works.extend(arithmetic(scale));
    let short = grids(scale).into_iter().chain(searches(scale));
    works.extend(short.map(|work| Work { goal: Goal::StrictC(0.95), ..work }));
    works.extend(applications(scale));
    works.extend(irregular(scale));
    works
}

/// Returns whether two threads should take half the time of one for this work.
pub fn compute_bound(work: &Work) -> bool {
    matches!(work.source, "mandelbrot" | "nbody" | "mriq" | "crystal" | "lavamd" | "myocyte" | "tpacf")
}

/// Returns a size multiplied by `scale`, at least 64.
pub fn scaled(size: usize, scale: f64) -> usize {
    ((size as f64 * scale) as usize).max(64)
}

/// Creates a work with one program and one baseline function of the same name as the entry point.
pub fn work(
    name: impl Into<String>,
    program: &'static str,
    source: &'static str,
    entry: &'static str,
) -> Work {
    Work {
        name: name.into(),
        program,
        entry,
        source,
        symbol: entry,
        ispc: None,
        sizes: Vec::new(),
        inputs: Box::new(Vec::new),
        outputs: Vec::new(),
        tolerance: CLOSE,
        limit: None,
        goal: Goal::StrictC(0.7),
        fast: false,
    }
}

pub fn elementwise(scale: f64) -> Vec<Work> {
    let (n, m) = (scaled(100_000_000, scale), scaled(50_000_000, scale));
    let map = |entry, kind: Kind, n: usize, inputs: Box<dyn Fn() -> Vec<Value>>| Work {
        sizes: vec![n as i64],
        inputs,
        outputs: vec![Output::Array(kind, vec![n])],
        limit: Some(Limit::Copy((2 * n * kind.size()) as f64)),
        goal: Goal::Share(0.95),
        ..work(entry, "micro/map.fut", "elementwise", entry)
    };
    let saxpy = |entry, kind: Kind, n: usize, inputs: Box<dyn Fn() -> Vec<Value>>| Work {
        limit: Some(Limit::Triad((3 * n * kind.size()) as f64)),
        program: "micro/saxpy.fut",
        ..map(entry, kind, n, inputs)
    };
    vec![
        map("map_f32", Kind::F32, n, Box::new(move || vec![f32s(1, &[n], -1.0, 1.0)])),
        map("map_f64", Kind::F64, m, Box::new(move || vec![f64s(1, &[m], -1.0, 1.0)])),
        saxpy(
            "saxpy_f32",
            Kind::F32,
            n,
            Box::new(move || vec![Value::f32(0.7), f32s(1, &[n], -1.0, 1.0), f32s(2, &[n], -1.0, 1.0)]),
        ),
        saxpy(
            "saxpy_f64",
            Kind::F64,
            m,
            Box::new(move || vec![Value::f64(0.7), f64s(1, &[m], -1.0, 1.0), f64s(2, &[m], -1.0, 1.0)]),
        ),
    ]
}

pub fn reductions(scale: f64) -> Vec<Work> {
    let (n, m) = (scaled(100_000_000, scale), scaled(50_000_000, scale));
    let reduction =
        |entry, program, kind, arrays: usize, n: usize, inputs: Box<dyn Fn() -> Vec<Value>>| Work {
            sizes: vec![n as i64],
            inputs,
            outputs: vec![Output::Array(kind, vec![])],
            limit: Some(Limit::Read((arrays * n * kind.size()) as f64)),
            goal: Goal::Share(0.95),
            ..work(entry, program, "reductions", entry)
        };
    let (dot, sum) = ("micro/dot.fut", "micro/sum.fut");
    vec![
        reduction("sum_f32", sum, Kind::F32, 1, n, Box::new(move || vec![f32s(1, &[n], 0.0, 1.0)])),
        reduction("sum_f64", sum, Kind::F64, 1, m, Box::new(move || vec![f64s(1, &[m], 0.0, 1.0)])),
        reduction(
            "dot_f32",
            dot,
            Kind::F32,
            2,
            n,
            Box::new(move || vec![f32s(1, &[n], 0.0, 1.0), f32s(2, &[n], 0.0, 1.0)]),
        ),
        reduction(
            "dot_f64",
            dot,
            Kind::F64,
            2,
            m,
            Box::new(move || vec![f64s(1, &[m], 0.0, 1.0), f64s(2, &[m], 0.0, 1.0)]),
        ),
    ]
}

pub fn scans(scale: f64) -> Vec<Work> {
    let n = scaled(50_000_000, scale);
    let scan = |entry, kind: Kind, inputs: Box<dyn Fn() -> Vec<Value>>| Work {
        sizes: vec![n as i64],
        inputs,
        outputs: vec![Output::Array(kind, vec![n])],
        limit: Some(Limit::Copy((2 * n * kind.size()) as f64)),
        goal: Goal::Share(0.75),
        ..work(format!("scan {}", entry), "micro/scan.fut", "scan", entry)
    };
    let floats = move || vec![f32s(1, &[n], 0.0, 1.0)];
    let integers = move || vec![i32s(1, &[n], 100)];
    vec![
        scan("inclusive_f32", Kind::F32, Box::new(floats)),
        scan("exclusive_f32", Kind::F32, Box::new(floats)),
        scan("inclusive_i32", Kind::I32, Box::new(integers)),
        scan("exclusive_i32", Kind::I32, Box::new(integers)),
    ]
}

fn filters(scale: f64) -> Vec<Work> {
    let n = scaled(50_000_000, scale);
    let bytes = (4 * n) as f64;
    let inputs = move |kept: f32| move || vec![Value::f32(kept), f32s(1, &[n], 0.0, 1.0)];
    let filter = |kept: f32, part: &str| Work {
        sizes: vec![n as i64],
        inputs: Box::new(inputs(kept)),
        outputs: vec![Output::Counted(Kind::F32, n)],
        limit: Some(Limit::CopyAndRead(2.0 * bytes * f64::from(kept), bytes * (1.0 - f64::from(kept)))),
        goal: Goal::Share(0.65),
        ..work(format!("filter {part}"), "micro/filter.fut", "filter", "filter_below")
    };
    let partition = |kept: f32, part: &str| Work {
        sizes: vec![n as i64],
        inputs: Box::new(inputs(kept)),
        outputs: vec![Output::Counted(Kind::F32, n), Output::Counted(Kind::F32, n)],
        limit: Some(Limit::Copy(2.0 * bytes)),
        goal: Goal::Share(0.65),
        ..work(format!("partition {part}"), "micro/filter.fut", "filter", "partition_below")
    };
    vec![
        filter(0.5, "half kept"),
        filter(0.01, "1 % kept"),
        filter(0.99, "99 % kept"),
        partition(0.5, "half"),
        partition(0.01, "1 %"),
        partition(0.99, "99 %"),
    ]
}

pub fn rearrangements(scale: f64) -> Vec<Work> {
    let n = scaled(100_000_000, scale);
    let histogram = |bins: usize| Work {
        sizes: vec![n as i64, bins as i64],
        inputs: Box::new(move || vec![Value::i64(bins as i64), i32s(1, &[n], bins as i32)]),
        outputs: vec![Output::Array(Kind::I32, vec![bins])],
        limit: Some(Limit::Read((4 * n) as f64)),
        goal: Goal::BestC(0.95),
        ..work(format!("histogram, {bins} bins"), "micro/histogram.fut", "histogram", "histogram")
    };
    let side = scaled(8192, scale.sqrt());
    let transpose = Work {
        sizes: vec![side as i64; 2],
        inputs: Box::new(move || vec![f32s(1, &[side, side], 0.0, 1.0)]),
        outputs: vec![Output::Array(Kind::F32, vec![side, side])],
        limit: Some(Limit::Copy((8 * side * side) as f64)),
        goal: Goal::BestC(0.95),
        ..work(format!("transpose {side}^2"), "micro/transpose.fut", "transpose", "transpose_f32")
    };
    let segments = |length: usize| {
        let rows = (n / length).max(1);
        Work {
            sizes: vec![rows as i64, length as i64],
            inputs: Box::new(move || vec![f32s(1, &[rows, length], 0.0, 1.0)]),
            outputs: vec![Output::Array(Kind::F32, vec![rows])],
            limit: Some(Limit::Read((4 * rows * length) as f64)),
            goal: Goal::BestC(0.95),
            ..work(
                format!("sums of segments of {length}"),
                "micro/segmented_sum.fut",
                "segmented_sum",
                "rows",
            )
        }
    };
    vec![
        histogram(256),
        histogram(1_000_000),
        transpose,
        segments(4),
        segments(100),
        segments(10_000),
        segments(1_000_000),
    ]
}

pub fn arithmetic(scale: f64) -> Vec<Work> {
    let mut works = vec![blackscholes(scaled(10_000_000, scale))];
    let side = scaled(4000, scale.sqrt());
    works.push(mandelbrot("mandelbrot", side, [-0.7, 0.0, 3.067], 100));
    works.push(mandelbrot("mandelbrot off centre", side, [-0.4, 0.75, 1.2], 400));
    works.push(nbody(scaled(16_384, scale.sqrt())));
    works.push(mriq(scaled(2048, scale.sqrt()), scaled(262_144, scale.sqrt())));
    works.push(sgemm(scaled(2048, scale.cbrt())));
    works
}

fn blackscholes(n: usize) -> Work {
    Work {
        sizes: vec![n as i64],
        symbol: "blackscholes",
        ispc: Some("blackscholes"),
        inputs: Box::new(move || {
            vec![f32s(1, &[n], 5.0, 30.0), f32s(2, &[n], 1.0, 100.0), f32s(3, &[n], 0.25, 10.0)]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![n]); 2],
        goal: Goal::StrictC(1.0),
        fast: true,
        ..work("Black-Scholes", "blackscholes.fut", "blackscholes", "main")
    }
}

fn mandelbrot(name: &str, side: usize, [x, y, width]: [f32; 3], depth: i32) -> Work {
    Work {
        sizes: vec![side as i64; 2],
        symbol: "mandelbrot",
        ispc: Some("mandelbrot"),
        inputs: Box::new(move || {
            let size = || Value::i32(side as i32);
            let [x, y, width] = [x, y, width].map(Value::f32);
            vec![size(), size(), x, y, width, Value::i32(depth), Value::f32(16.0)]
        }),
        outputs: vec![Output::Array(Kind::I32, vec![side, side])],
        tolerance: MOSTLY,
        goal: Goal::Ispc(0.95),
        ..work(name, "mandelbrot.fut", "mandelbrot", "escapes")
    }
}

fn nbody(n: usize) -> Work {
    let coordinates = move |seed| f32s(seed, &[n], -50.0, 50.0);
    Work {
        sizes: vec![n as i64],
        symbol: "nbody",
        ispc: Some("nbody"),
        inputs: Box::new(move || {
            let mut inputs = vec![Value::i32(1), Value::f32(50.0), Value::f32(0.1)];
            inputs.extend([1, 2, 3].map(coordinates));
            inputs.push(f32s(4, &[n], 1.0, 20.0));
            inputs.extend([5, 6, 7].map(|seed| f32s(seed, &[n], -1.0, 1.0)));
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![n]); 7],
        limit: Some(Limit::Operations(20.0 * (n * n) as f64)),
        goal: Goal::StrictC(0.95),
        fast: true,
        ..work(format!("nbody {n}"), "nbody.fut", "nbody", "main")
    }
}

fn mriq(samples: usize, voxels: usize) -> Work {
    Work {
        sizes: vec![samples as i64, voxels as i64],
        symbol: "mriq",
        inputs: Box::new(move || {
            let mut inputs: Vec<Value> = [1, 2, 3].map(|seed| f32s(seed, &[samples], -1.0, 1.0)).into();
            inputs.extend([4, 5, 6].map(|seed| f32s(seed, &[voxels], -3.0, 3.0)));
            inputs.extend([7, 8].map(|seed| f32s(seed, &[samples], -0.5, 0.5)));
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![voxels]); 2],
        goal: Goal::StrictC(0.95),
        fast: true,
        ..work("mri-q large", "mriq.fut", "mriq", "main")
    }
}

fn sgemm(n: usize) -> Work {
    Work {
        sizes: vec![n as i64; 3],
        symbol: "sgemm",
        inputs: Box::new(move || {
            let mut inputs: Vec<Value> = [1, 2, 3].map(|seed| f32s(seed, &[n, n], -1.0, 1.0)).into();
            inputs.extend([Value::f32(1.5), Value::f32(0.5)]);
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![n, n])],
        limit: Some(Limit::Operations(2.0 * (n * n * n) as f64)),
        goal: Goal::OpenBlas(0.75),
        ..work(format!("sgemm {n}^3"), "sgemm.fut", "sgemm_openblas", "main")
    }
}

fn grids(scale: f64) -> Vec<Work> {
    let hotspot = hotspot(scaled(1024, scale.sqrt()), 100);
    let shape = [scaled(512, scale.cbrt()), 64, scaled(512, scale.cbrt())];
    let stencil = Work {
        sizes: shape.map(|size| size as i64).into(),
        symbol: "stencil",
        inputs: Box::new(move || vec![Value::i32(10), f32s(1, &shape, 0.0, 1.0)]),
        outputs: vec![Output::Array(Kind::F32, shape.into())],
        ..work("stencil 512x64x512, 10 steps", "stencil.fut", "stencil", "volume")
    };
    let columns = scaled(100_000, scale);
    let pathfinder = Work {
        sizes: vec![columns as i64, 100],
        symbol: "pathfinder",
        inputs: Box::new(move || vec![Value::i64(columns as i64), Value::i64(100)]),
        outputs: vec![Output::Array(Kind::I32, vec![columns])],
        ..work("pathfinder medium", "pathfinder.fut", "pathfinder", "main")
    };
    vec![hotspot, stencil, pathfinder]
}

/// Creates the work of heat on a grid of `side` rows and columns.
pub fn hotspot(side: usize, steps: i32) -> Work {
    Work {
        sizes: vec![side as i64; 2],
        symbol: "hotspot",
        inputs: Box::new(move || {
            vec![Value::i32(steps), f32s(1, &[side, side], 320.0, 340.0), f32s(2, &[side, side], 0.0, 1e-3)]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![side, side])],
        ..work(format!("hotspot {side}^2, {steps} steps"), "hotspot.fut", "hotspot", "compute_tran_temp")
    }
}

fn searches(scale: f64) -> Vec<Work> {
    let n = scaled(855_280, scale);
    let nn = Work {
        sizes: vec![n as i64, 100],
        symbol: "nn",
        inputs: Box::new(move || {
            let mut inputs = vec![Value::i32(100), Value::f32(30.0), Value::f32(90.0)];
            inputs.extend([f32s(1, &[n], 0.0, 90.0), f32s(2, &[n], 0.0, 180.0)]);
            inputs
        }),
        outputs: vec![Output::Array(Kind::I32, vec![100]), Output::Array(Kind::F32, vec![100])],
        ..work("nn, 100 nearest", "nn.fut", "nn", "main")
    };
    let points = scaled(1_000_000, scale);
    let kmeans = Work {
        sizes: vec![points as i64, 5],
        symbol: "kmeans",
        inputs: Box::new(move || vec![Value::i32(5), f32s(1, &[points, 2], -100.0, 100.0)]),
        outputs: vec![Output::Array(Kind::F32, vec![5, 2]), Output::Array(Kind::I32, vec![])],
        ..work("kmeans, 5 of 10^6", "kmeans.fut", "kmeans", "main")
    };
    vec![nn, kmeans]
}
