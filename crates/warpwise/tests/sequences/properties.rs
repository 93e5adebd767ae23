//! Random functions on random elements, compared with lists.
//!
//! A function is a chain of steps, each of which is implemented twice: on arrays of a sequence, and on Rust vectors.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use warpwise::{Acc, Boundary, Consumer, Context, Exp, Seq, Streaming, Vector, cond, enum_from, unit};

use crate::{schedules, vector};

/// An operation on an element.
#[derive(Clone, Copy, Debug)]
enum Step {
    AddSize,
    Square,
    Prefix,
    Reverse,
    Tail,
    Repeat,
    KeepEven,
    Smooth,
    LessSum,
    Indices,
    Halve,
}

fn on_arrays(step: Step, xs: &Acc<Vector<i64>>) -> Acc<Vector<i64>> {
    match step {
        Step::AddSize => {
            let size = xs.size();
            xs.map(move |x| x + size)
        }
        Step::Square => xs.map(|x| (x * x) % 101),
        Step::Prefix => xs.scan1(|x, y| x + y),
        Step::Reverse => xs.reverse(),
        Step::Tail => xs.tail(),
        Step::Repeat => xs.concat(xs),
        Step::KeepEven => xs.filter(|x| x.is_even()),
        Step::Smooth => xs.stencil(Boundary::Clamp, |[a, b, c]: [Exp<i64>; 3]| a + b * 2 - c),
        Step::LessSum => {
            let sum = xs.sum().the();
            xs.map(move |x| x - sum)
        }
        Step::Indices => xs.zip_with(&enum_from(xs.size(), 0_i64), |x, i| x * 3 + i),
        Step::Halve => xs.map(|x| cond(x.gt(0), x / 2, x)),
    }
}

fn on_lists(step: Step, xs: &[i64]) -> Vec<i64> {
    let at = |i: i64| xs[i.clamp(0, xs.len() as i64 - 1) as usize];
    let indices = 0..xs.len() as i64;
    match step {
        Step::AddSize => xs.iter().map(|x| x + xs.len() as i64).collect(),
        Step::Square => xs.iter().map(|x| x.wrapping_mul(*x) % 101).collect(),
        Step::Prefix => indices.map(|i| xs[..=i as usize].iter().sum()).collect(),
        Step::Reverse => xs.iter().rev().copied().collect(),
        Step::Tail => xs.iter().skip(1).copied().collect(),
        Step::Repeat => [xs, xs].concat(),
        Step::KeepEven => xs.iter().copied().filter(|x| x % 2 == 0).collect(),
        Step::Smooth => indices.map(|i| at(i - 1) + at(i) * 2 - at(i + 1)).collect(),
        Step::LessSum => xs.iter().map(|x| x - xs.iter().sum::<i64>()).collect(),
        Step::Indices => xs.iter().zip(0..).map(|(x, i)| x * 3 + i).collect(),
        Step::Halve => xs.iter().map(|&x| if x > 0 { x / 2 } else { x }).collect(),
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    use Step::*;
    let all = [AddSize, Square, Prefix, Reverse, Tail, Repeat, KeepEven, Smooth, LessSum, Indices, Halve];
    prop::collection::vec(prop::sample::select(all.to_vec()), 1..4)
}

/// Generates elements with extents from 0 to 6, often 0 and 1.
fn elements() -> impl Strategy<Value = Vec<Vec<i64>>> {
    let size = prop_oneof![0..2_usize, 0..7_usize];
    prop::collection::vec(size.prop_flat_map(|size| prop::collection::vec(-9..10_i64, size)), 0..9)
}

fn check(context: &Context, cases: u32, schedules: &[Streaming]) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 64, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let checked = runner.run(&(steps(), elements()), |(steps, elements)| {
        let lengths: Vec<i64> = elements.iter().map(|element| element.len() as i64).collect();
        let seq = Seq::segments(&vector(elements.concat()), &vector(lengths));
        let mapped = steps.iter().fold(seq, |seq, &step| seq.map(|xs| on_arrays(step, &xs)));
        let expected: Vec<Vec<i64>> = elements
            .iter()
            .map(|xs| steps.iter().fold(xs.clone(), |xs, &step| on_lists(step, &xs)))
            .collect();
        for streaming in schedules {
            let consumers = (mapped.collect(), mapped.map(|xs| unit(xs.size())).elements(), totals(&mapped));
            let (arrays, sizes, total) = warpwise::consume_with(context, consumers, streaming)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            let arrays: Vec<Vec<i64>> = arrays.iter().map(|array| array.to_vec()).collect();
            prop_assert_eq!(&arrays, &expected);
            let expected_sizes: Vec<i64> = expected.iter().map(|xs| xs.len() as i64).collect();
            prop_assert_eq!(sizes.to_vec(), expected_sizes);
            prop_assert_eq!(total.to_vec(), vec![expected.concat().iter().sum::<i64>()]);
        }
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

fn totals(seq: &Seq<Acc<Vector<i64>>>) -> Consumer<warpwise::Singleton<i64>> {
    seq.map(|xs| xs.sum()).fold(crate::scalar(0), |x, y| x.zip_with(&y, |x, y| x + y))
}

#[test]
fn sequences_are_lists_on_the_interpreter() {
    check(&Context::interpreter(), 40, &schedules());
}

#[test]
fn sequences_are_lists_on_the_cpu() {
    check(&Context::cpu().unwrap(), 12, &schedules());
}

#[test]
fn sequences_are_lists_on_an_opencl_device() {
    let [_, two, _, _, adaptive] = schedules();
    check(&Context::opencl(0).unwrap(), 3, &[two, adaptive]);
}
