//! Works that cannot be divided evenly: rows and vertices of very different sizes, and parts that are only known when others are
//! done. They are compared with C with dynamic scheduling.

use super::inputs::{below, f32s};
use super::table::{scaled, work};
use super::{Goal, Output, Work};
use crate::value::{Kind, Value};

/// Returns these works, with sizes multiplied by `scale`.
pub fn irregular(scale: f64) -> Vec<Work> {
    let works = [
        spmv(scaled(1 << 20, scale)),
        bfs(scaled(1 << 20, scale)),
        quicksort(scaled(1 << 22, scale)),
        ragged(scaled(1 << 16, scale)),
        triangle(scaled(1 << 15, scale.sqrt())),
    ];
    works.into_iter().map(|work| Work { goal: Goal::StrictC(0.8), ..work }).collect()
}

/// Returns the size of a row by a power law, from `least` on: a row in a thousand is a hundred times as long.
fn power_law(seed: u64, i: usize, least: f64, most: f64) -> i32 {
    let unit = (f64::from(below(seed, i, 1 << 24)) + 1.0) / f64::from(1 << 24);
    (least * unit.powf(-2.0 / 3.0)).min(most) as i32
}

/// Returns the starts of rows of these sizes, and the end after the last.
fn starts(sizes: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut at = 0;
    let mut starts = vec![0];
    for size in sizes {
        at += size;
        starts.push(at);
    }
    starts
}

fn i32_array(xs: &[i32]) -> Value {
    Value::tabulate_i32(&[xs.len()], |i| xs[i])
}

fn spmv(rows: usize) -> Work {
    let starts = starts((0..rows).map(|row| power_law(1, row, 5.0, rows as f64)));
    let elements = starts[rows] as usize;
    Work {
        sizes: vec![rows as i64, elements as i64, rows as i64],
        symbol: "spmv",
        inputs: Box::new(move || {
            let columns = Value::tabulate_i32(&[elements], |i| below(2, i, rows as i32));
            vec![i32_array(&starts), columns, f32s(3, &[elements], 0.0, 1.0), f32s(4, &[rows], 0.0, 1.0)]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![rows])],
        ..work("sparse matrix times vector", "irregular/spmv.fut", "spmv", "main")
    }
}

/// Creates an undirected graph with eight edges per vertex, most of which lead to few vertices: the start of each vertex's
/// neighbours, and the neighbours.
fn graph(vertices: usize) -> (Vec<i32>, Vec<i32>) {
    let end = |edge: usize, seed: u64| {
        let unit = f64::from(below(seed, edge, 1 << 24)) / f64::from(1 << 24);
        let skewed = if seed == 1 { unit.powi(3) } else { unit };
        (skewed * vertices as f64) as usize
    };
    let edges = || {
        (0..8 * vertices).flat_map(|edge| {
            let (a, b) = (end(edge, 1), end(edge, 2));
            [(a, b), (b, a)]
        })
    };
    let mut degrees = vec![0; vertices];
    edges().for_each(|(from, _)| degrees[from] += 1);
    let starts = starts(degrees.into_iter());
    let mut next: Vec<usize> = starts.iter().map(|&start| start as usize).collect();
    let mut neighbours = vec![0; 16 * vertices];
    for (from, to) in edges() {
        neighbours[next[from]] = to as i32;
        next[from] += 1;
    }
    (starts, neighbours)
}

fn bfs(vertices: usize) -> Work {
    Work {
        sizes: vec![vertices as i64, 16 * vertices as i64],
        symbol: "bfs",
        inputs: Box::new(move || {
            let (starts, neighbours) = graph(vertices);
            vec![i32_array(&starts), i32_array(&neighbours), Value::i32(vertices as i32 / 2)]
        }),
        outputs: vec![Output::Array(Kind::I32, vec![vertices])],
        ..work("breadth-first search", "irregular/bfs.fut", "bfs", "main")
    }
}

fn quicksort(n: usize) -> Work {
    Work {
        sizes: vec![n as i64],
        symbol: "quicksort",
        inputs: Box::new(move || vec![Value::tabulate_i32(&[n], |i| below(1, i, i32::MAX))]),
        outputs: vec![Output::Array(Kind::I32, vec![n])],
        ..work("quicksort", "irregular/quicksort.fut", "quicksort", "main")
    }
}

fn ragged(n: usize) -> Work {
    Work {
        sizes: vec![n as i64],
        symbol: "ragged",
        inputs: Box::new(move || {
            let lengths = Value::tabulate_i32(&[n], |i| power_law(1, i, 400.0, 1e7));
            vec![lengths, f32s(2, &[n], 0.0, 1.0)]
        }),
        outputs: vec![Output::Array(Kind::F32, vec![n])],
        ..work("ragged map and reduce", "irregular/ragged.fut", "ragged", "main")
    }
}

fn triangle(n: usize) -> Work {
    Work {
        sizes: vec![n as i64],
        symbol: "triangle",
        inputs: Box::new(move || vec![f32s(1, &[n], 0.0, 100.0), f32s(2, &[n], 0.0, 1.0)]),
        outputs: vec![Output::Array(Kind::F32, vec![n])],
        ..work("triangular loop", "irregular/triangle.fut", "triangle", "main")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_lead_both_ways_and_few_vertices_have_most_neighbours() {
        let (starts, neighbours) = graph(1000);
        let of = |v: usize| &neighbours[starts[v] as usize..starts[v + 1] as usize];
        let times = |from: usize, to: usize| of(from).iter().filter(|&&w| w as usize == to).count();
        for v in 0..1000 {
            of(v).iter().for_each(|&w| assert_eq!(times(v, w as usize), times(w as usize, v)));
        }
        let mut degrees: Vec<usize> = (0..1000).map(|v| of(v).len()).collect();
        degrees.sort_unstable();
        assert!(degrees[900..].iter().sum::<usize>() > 16_000 / 4);
    }

    #[test]
    fn sizes_follow_a_power_law() {
        let sizes: Vec<i32> = (0..100_000).map(|i| power_law(1, i, 5.0, 1e6)).collect();
        let above = |size: i32| sizes.iter().filter(|&&x| x >= size).count();
        assert_eq!(above(5), 100_000);
        assert!((60..150).contains(&above(500)), "{}", above(500));
    }
}
