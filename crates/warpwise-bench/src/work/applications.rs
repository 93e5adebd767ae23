//! The programs of Rodinia, FinPar, Parboil and Accelerate that are larger than kernels of a few lines, as rows of the table,
//! with generated inputs.

use super::inputs::{below, f32s, f64s, i32s};
use super::table::{scaled, work};
use super::{Output, Work};
use crate::compare::MOSTLY;
use crate::value::{Kind, Value};

/// Returns these works, with sizes multiplied by `scale`.
pub fn applications(scale: f64) -> Vec<Work> {
    vec![
        backprop(scaled(1 << 20, scale)),
        cfd(scaled(512, scale.sqrt()), scaled(190, scale.sqrt())),
        crystal(scaled(2000, scale.sqrt())),
        fluid(scaled(1000, scale.sqrt())),
        histo(scaled(1 << 24, scale)),
        kmeans(scaled(494_019, scale)),
        lavamd(((10.0 * scale.cbrt()) as usize).max(2)),
        locvolcalib("LocVolCalib medium", scaled(128, scale), [256, 32, 64]),
        myocyte(scaled(16_384, scale)),
        option_pricing(scaled(131_072, scale)),
        srad(scaled(1000, scale.sqrt())),
        tpacf(scaled(4096, scale.sqrt())),
    ]
}

fn backprop(n: usize) -> Work {
    Work {
        sizes: vec![n as i64],
        symbol: "backprop",
        inputs: Box::new(move || {
            // Small weights of the many inputs keep the hidden units from saturating.
            vec![f32s(1, &[n], 0.0, 1.0), f32s(2, &[n + 1, 16], -1e-3, 1e-3), f32s(3, &[17, 1], -1.0, 1.0)]
        }),
        outputs: vec![
            Output::Array(Kind::F32, vec![]),
            Output::Array(Kind::F32, vec![]),
            Output::Array(Kind::F32, vec![n + 1, 16]),
            Output::Array(Kind::F32, vec![17, 1]),
        ],
        ..work("backprop", "backprop.fut", "backprop", "train_random")
    }
}

fn cfd(around: usize, rings: usize) -> Work {
    Work {
        sizes: vec![around as i64, rings as i64],
        symbol: "cfd",
        inputs: Box::new(move || vec![Value::i32(100), Value::i64(around as i64), Value::i64(rings as i64)]),
        outputs: vec![Output::Array(Kind::F32, vec![5, around * rings])],
        ..work("cfd 97K, 100 steps", "cfd.fut", "cfd", "wing")
    }
}

fn crystal(size: usize) -> Work {
    Work {
        sizes: vec![size as i64, 1],
        symbol: "crystal",
        inputs: Box::new(move || {
            let degree = Value::i32(50);
            vec![Value::i32(size as i32), Value::f32(30.0), degree, Value::i32(1), Value::f32(1.0)]
        }),
        outputs: vec![Output::Array(Kind::I32, vec![1, size, size])],
        tolerance: MOSTLY,
        fast: true,
        ..work("crystal", "crystal.fut", "crystal", "main")
    }
}

fn fluid(side: usize) -> Work {
    Work {
        sizes: vec![side as i64],
        symbol: "fluid",
        inputs: Box::new(move || {
            let grid = |seed| f32s(seed, &[side, side], 0.0, 1.0);
            let rates = [0.01, 0.0001, 0.001].map(Value::f32);
            let mut inputs = vec![grid(1), grid(2), grid(3), Value::i32(1), Value::i32(40)];
            inputs.extend(rates);
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![side, side]); 3],
        ..work(format!("fluid {side}^2"), "fluid.fut", "fluid", "main")
    }
}

fn histo(n: usize) -> Work {
    let (width, height) = (1024, 4096);
    let rows = (n / 4096).max(1);
    Work {
        sizes: vec![(rows * 4096) as i64, width * height],
        symbol: "histo",
        inputs: Box::new(move || {
            let image = i32s(1, &[rows, 4096], (width * height) as i32);
            vec![Value::i32(width as i32), Value::i32(height as i32), image]
        }),
        outputs: vec![Output::Array(Kind::I32, vec![(width * height) as usize])],
        ..work("histo", "histo.fut", "histo", "main")
    }
}

pub fn kmeans(n: usize) -> Work {
    let (features, k) = (35, 5);
    Work {
        sizes: vec![n as i64, features as i64, k],
        symbol: "kmeans_features",
        inputs: Box::new(move || {
            // Nothing is below this threshold, so that all ten iterations run.
            let [threshold, k, most] = [-1, k as i32, 10].map(Value::i32);
            vec![threshold, k, most, f32s(1, &[n, features], 0.0, 1.0)]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![k as usize, features]), Output::Array(Kind::I32, vec![])],
        ..work("kmeans, 35 features", "kmeans_features.fut", "kmeans_features", "main")
    }
}

fn lavamd(side: usize) -> Work {
    let (boxes, particles, most) = (side * side * side, 100, 26);
    Work {
        sizes: vec![boxes as i64, particles as i64, most as i64],
        symbol: "lavamd",
        inputs: Box::new(move || {
            let unused = |shape: &[usize]| Value::zeros(Kind::I32, shape);
            let neighbours: Vec<Vec<usize>> = (0..boxes).map(|b| neighbours(side, b)).collect();
            let mut inputs = vec![Value::f32(0.5)];
            inputs.extend([0, 1, 2].map(|_| unused(&[boxes])));
            inputs.push(Value::tabulate_i32(&[boxes], |b| b as i32));
            inputs.extend([0, 1, 2].map(|_| unused(&[most, boxes])));
            inputs.push(Value::tabulate_i32(&[most, boxes], |i| {
                neighbours[i % boxes].get(i / boxes).map_or(0, |&other| other as i32)
            }));
            inputs.push(Value::tabulate_i32(&[boxes], |b| neighbours[b].len() as i32));
            inputs.extend([1, 2, 3, 4, 5].map(|seed| f32s(seed, &[boxes, particles], 0.1, 1.0)));
            inputs
        }),
        outputs: vec![Output::Array(Kind::F32, vec![boxes, particles]); 4],
        fast: true,
        ..work("lavaMD 10^3 boxes", "lavamd.fut", "lavamd", "main")
    }
}

/// Returns the boxes that touch a box of a cube.
fn neighbours(side: usize, number: usize) -> Vec<usize> {
    let near = |x: usize| x.saturating_sub(1)..(x + 2).min(side);
    let (z, y, x) = (number / (side * side), number / side % side, number % side);
    let cube =
        near(z).flat_map(|z| near(y).flat_map(move |y| near(x).map(move |x| (z * side + y) * side + x)));
    cube.filter(|&other| other != number).collect()
}

/// Creates a work with `outer` strikes on a grid of `points` prices, log-volatilities and times.
pub fn locvolcalib(name: &str, outer: usize, points: [usize; 3]) -> Work {
    let points = points.map(|size| size as i64);
    Work {
        sizes: [outer as i64].into_iter().chain(points).collect(),
        symbol: "locvolcalib",
        inputs: Box::new(move || {
            let sizes = [outer as i64].into_iter().chain(points).map(|size| Value::i32(size as i32));
            sizes.chain([0.03, 5.0, 0.2, 0.6, 0.5].map(Value::f32)).collect()
        }),
        outputs: vec![Output::Array(Kind::F32, vec![outer])],
        ..work(name, "locvolcalib.fut", "locvolcalib", "main")
    }
}

fn myocyte(cells: usize) -> Work {
    Work {
        sizes: vec![cells as i64],
        symbol: "myocyte",
        inputs: Box::new(move || vec![Value::i64(cells as i64), Value::i32(3)]),
        outputs: vec![Output::Array(Kind::F32, vec![cells, 91])],
        ..work(format!("myocyte, {cells} cells"), "myocyte.fut", "myocyte", "rest")
    }
}

pub fn option_pricing(paths: usize) -> Work {
    let (bits, unds, dates) = (30, 3, 367);
    Work {
        sizes: [bits, 1, unds, dates, 2, paths].map(|size| size as i64).into(),
        symbol: "option_pricing",
        inputs: Box::new(move || {
            let (bridge_inds, bridge_data) = bridge(dates);
            let table =
                |shape: &[usize], values: &[f32]| Value::tabulate_f32(shape, |i| values[i % values.len()]);
            vec![
                Value::i32(3),
                Value::i32(paths as i32),
                Value::tabulate_i32(&[dates * unds, bits], |i| direction(i, i % bits)),
                table(&[1, unds, unds], &[1.0, 0.6, 0.8, 0.6, 0.8, 0.15, 0.8, 0.15, 0.58]),
                table(&[1, dates, unds], &[0.19, 0.19, 0.15]),
                table(&[1, dates, unds], &[-7.7e-5, 3.3e-5, -5e-6]),
                table(&[1, unds], &[3758.05, 11840.0, 1200.0]),
                table(&[1, 1], &[0.0]),
                table(&[1, 2], &[0.98, 0.98]),
                bridge_inds,
                bridge_data,
            ]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![1])],
        fast: true,
        ..work("OptionPricing large", "option_pricing.fut", "option_pricing", "main")
    }
}

/// Returns the direction vector of a bit: that bit of a fraction is set, those above are clear, those below are arbitrary.
fn direction(seed: usize, bit: usize) -> i32 {
    let leading = 1 << (29 - bit);
    leading | below(seed as u64 + 1, bit, leading)
}

/// Returns the order in which a Brownian bridge fixes dates a day apart, from 1, and its weights.
fn bridge(dates: usize) -> (Value, Value) {
    let years = |days: usize| days as f32 / 366.0;
    let mut rows = vec![([dates, 0, 0], [years(dates).sqrt(), 0.0, 0.0])];
    let mut open = std::collections::VecDeque::from([(0, dates)]);
    while let Some((before, after)) = open.pop_front() {
        let date = (before + after) / 2;
        if date == before {
            continue;
        }
        let (left, right) = (years(date - before), years(after - date));
        let weights = [(left * right / (left + right)).sqrt(), right / (left + right), left / (left + right)];
        rows.push(([date, before, after], weights));
        open.extend([(before, date), (date, after)]);
    }
    let inds = Value::tabulate_i32(&[3, dates], |i| rows[i % dates].0[i / dates] as i32);
    (inds, Value::tabulate_f32(&[3, dates], |i| rows[i % dates].1[i / dates]))
}

pub fn srad(side: usize) -> Work {
    Work {
        sizes: vec![side as i64; 2],
        symbol: "srad",
        inputs: Box::new(move || vec![f32s(1, &[side, side], 0.0, 1.0)]),
        outputs: vec![Output::Array(Kind::F32, vec![side, side])],
        ..work(format!("srad {side}^2, 100 steps"), "srad.fut", "srad", "smooth")
    }
}

fn tpacf(n: usize) -> Work {
    let sets = 4;
    Work {
        sizes: vec![n as i64, sets as i64],
        symbol: "tpacf",
        inputs: Box::new(move || {
            let (right_ascension, declination) = ((0.0, 20.0), (-10.0, 10.0));
            let degrees = |seed, shape: &[usize], (low, high)| f64s(seed, shape, low, high);
            vec![
                degrees(1, &[n], right_ascension),
                degrees(2, &[n], declination),
                degrees(3, &[sets, n], right_ascension),
                degrees(4, &[sets, n], declination),
            ]
        }),
        outputs: vec![Output::Array(Kind::I32, vec![60])],
        ..work(format!("tpacf {n}"), "tpacf.fut", "tpacf", "main")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_fixes_every_date_once_between_fixed_ones() {
        let (inds, _) = bridge(11);
        let mut fixed = vec![0];
        for i in 0..11 {
            let [date, before, after] = [0, 1, 2].map(|row| inds.i32s()[row * 11 + i]);
            assert!(fixed.contains(&before) && fixed.contains(&after) && !fixed.contains(&date));
            fixed.push(date);
        }
        assert_eq!(fixed.len(), 12);
    }

    #[test]
    fn boxes_inside_a_cube_touch_26() {
        assert_eq!(neighbours(3, 13).len(), 26);
        assert_eq!(neighbours(3, 0), [1, 3, 4, 9, 10, 12, 13]);
        assert_eq!(neighbours(1, 0), [0; 0]);
    }
}
