//! The C baselines compute the expected results: those of the micro set and the irregular ones are compared with plain loops, on
//! unusual sizes.
//!
//! A wrong baseline could be arbitrarily fast. The larger programs are compared with each other and with Warpwise whenever the
//! benchmarks run.

use std::path::Path;
use std::rc::Rc;

use warpwise_bench::baseline::{Baselines, Licence};
use warpwise_bench::compare::{CLOSE, disagreement};
use warpwise_bench::peer::Peer;
use warpwise_bench::value::Value;
use warpwise_bench::work::{Work, works};

#[test]
fn baselines_agree_with_plain_loops() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let baselines = match Baselines::find(&root, 3) {
        Ok(baselines) => baselines,
        Err(reason) => return println!("SKIPPED: {reason}"),
    };
    let mut compared = 0;
    for work in works(0.000_77) {
        let inputs = Rc::new((work.inputs)());
        let Some(expected) = plain(&work, &inputs) else { continue };
        for compiler in &baselines.c_compilers {
            for licence in [Licence::Strict, Licence::Fast] {
                let mut baseline = baselines.c(&work, compiler, licence, &inputs).unwrap();
                baseline.run().unwrap();
                let difference = disagreement(&expected, &baseline.results().unwrap(), CLOSE);
                assert_eq!(difference, None, "{}, {} by {}", work.name, baseline.name(), compiler.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 2 * 30, "only {compared} comparisons");
}

/// Computes the results by the shortest loop; `None` for works that are larger programs.
fn plain(work: &Work, inputs: &[Value]) -> Option<Vec<Value>> {
    let results = match work.entry {
        "main" => return irregular(work, inputs),
        "map_f32" => vec![f32s(inputs[0].f32s().iter().map(|x| 2.0 * x + 1.0))],
        "map_f64" => vec![f64s(inputs[0].f64s().iter().map(|x| 2.0 * x + 1.0))],
        "saxpy_f32" => {
            let (a, pairs) = (inputs[0].f32s()[0], inputs[1].f32s().iter().zip(inputs[2].f32s()));
            vec![f32s(pairs.map(|(x, y)| a * x + y))]
        }
        "saxpy_f64" => {
            let (a, pairs) = (inputs[0].f64s()[0], inputs[1].f64s().iter().zip(inputs[2].f64s()));
            vec![f64s(pairs.map(|(x, y)| a * x + y))]
        }
        "sum_f32" => vec![Value::f32(inputs[0].f32s().iter().map(|x| f64::from(*x)).sum::<f64>() as f32)],
        "sum_f64" => vec![Value::f64(inputs[0].f64s().iter().sum())],
        "dot_f32" => {
            let pairs = inputs[0].f32s().iter().zip(inputs[1].f32s());
            vec![Value::f32(pairs.map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>() as f32)]
        }
        "dot_f64" => {
            vec![Value::f64(inputs[0].f64s().iter().zip(inputs[1].f64s()).map(|(x, y)| x * y).sum())]
        }
        "inclusive_f32" => {
            vec![f32s(sums(inputs[0].f32s().iter().map(|x| f64::from(*x)), true).map(|s| s as f32))]
        }
        "exclusive_f32" => {
            vec![f32s(sums(inputs[0].f32s().iter().map(|x| f64::from(*x)), false).map(|s| s as f32))]
        }
        "inclusive_i32" => {
            vec![i32s(sums(inputs[0].i32s().iter().map(|x| f64::from(*x)), true).map(|s| s as i32))]
        }
        "exclusive_i32" => {
            vec![i32s(sums(inputs[0].i32s().iter().map(|x| f64::from(*x)), false).map(|s| s as i32))]
        }
        "filter_below" => vec![f32s(below(inputs))],
        "partition_below" => {
            let limit = inputs[0].f32s()[0];
            vec![f32s(below(inputs)), f32s(inputs[1].f32s().iter().copied().filter(|x| *x >= limit))]
        }
        "histogram" => {
            let mut counts = vec![0; inputs[0].i64s()[0] as usize];
            inputs[1].i32s().iter().for_each(|bin| counts[*bin as usize] += 1);
            vec![i32s(counts.into_iter())]
        }
        "transpose_f32" => {
            let (rows, a) = (inputs[0].shape[0], inputs[0].f32s());
            vec![Value::tabulate_f32(&[inputs[0].shape[1], rows], |i| {
                a[i % rows * inputs[0].shape[1] + i / rows]
            })]
        }
        "rows" => vec![f32s(inputs[0].f32s().chunks(inputs[0].shape[1]).map(|row| row.iter().sum()))],
        _ => return None,
    };
    Some(results)
}

/// Like [`plain`], for irregular works.
fn irregular(work: &Work, inputs: &[Value]) -> Option<Vec<Value>> {
    let ints = |input: usize| inputs[input].i32s();
    let floats = |input: usize| inputs[input].f32s();
    let result = match work.symbol {
        "spmv" => {
            let (starts, columns, values, x) = (ints(0), ints(1), floats(2), floats(3));
            f32s(starts.windows(2).map(|row| {
                let elements = row[0] as usize..row[1] as usize;
                elements.map(|k| values[k] * x[columns[k] as usize]).sum()
            }))
        }
        "bfs" => i32s(levels(ints(0), ints(1), ints(2)[0]).into_iter()),
        "quicksort" => {
            let mut sorted = ints(0).to_vec();
            sorted.sort_unstable();
            i32s(sorted.into_iter())
        }
        "ragged" => f32s(ints(0).iter().zip(floats(1)).map(|(&m, &x)| {
            let term = |j: i32| 1.0 / (1.0 + f64::from(x) * f64::from(j) + f64::from(j) * f64::from(j));
            (0..m).map(term).sum::<f64>() as f32
        })),
        "triangle" => {
            let (xs, charges) = (floats(0), floats(1));
            f32s((0..xs.len()).map(|i| {
                let one = |j: usize| f64::from(charges[j]) / (1.0 + f64::from(xs[i] - xs[j]).powi(2));
                (0..i).map(one).sum::<f64>() as f32
            }))
        }
        _ => return None,
    };
    Some(vec![result])
}

/// Computes the depths of all vertices, with a queue.
fn levels(starts: &[i32], edges: &[i32], root: i32) -> Vec<i32> {
    let mut levels = vec![-1; starts.len() - 1];
    let mut queue = vec![root as usize];
    levels[root as usize] = 0;
    let mut at = 0;
    while at < queue.len() {
        let v = queue[at];
        for &w in &edges[starts[v] as usize..starts[v + 1] as usize] {
            if levels[w as usize] < 0 {
                levels[w as usize] = levels[v] + 1;
                queue.push(w as usize);
            }
        }
        at += 1;
    }
    levels
}

fn below(inputs: &[Value]) -> impl Iterator<Item = f32> {
    let limit = inputs[0].f32s()[0];
    inputs[1].f32s().iter().copied().filter(move |x| *x < limit)
}

fn sums(values: impl Iterator<Item = f64>, inclusive: bool) -> impl Iterator<Item = f64> {
    values.scan(0.0, move |sum, x| {
        let before = *sum;
        *sum += x;
        Some(if inclusive { *sum } else { before })
    })
}

fn f32s(values: impl Iterator<Item = f32>) -> Value {
    let values: Vec<f32> = values.collect();
    Value::tabulate_f32(&[values.len()], |i| values[i])
}

fn f64s(values: impl Iterator<Item = f64>) -> Value {
    let values: Vec<f64> = values.collect();
    Value::tabulate_f64(&[values.len()], |i| values[i])
}

fn i32s(values: impl Iterator<Item = i32>) -> Value {
    let values: Vec<i32> = values.collect();
    Value::tabulate_i32(&[values.len()], |i| values[i])
}
