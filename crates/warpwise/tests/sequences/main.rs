//! Sequences, compared with lists: for all sizes of chunks, on the CPU, the reference interpreter and an OpenCL device.

mod failures;
mod flow;
mod lists;
mod nested;
mod programs;
mod properties;
mod sources;

use std::fmt::Debug;

use warpwise::{Array, Consumer, Context, Singleton, Streaming, Vector};

/// Returns the devices under test.
fn contexts() -> [Context; 2] {
    [Context::cpu().unwrap(), Context::interpreter()]
}

/// Returns chunk sizes of one, two and seven elements, all elements at once, and the automatic choice.
fn schedules() -> [Streaming; 5] {
    let fixed = [1, 2, 7, 1000].map(|count| Streaming::new().chunk(count));
    let [one, two, seven, all] = fixed;
    [one, two, seven, all, Streaming::new()]
}

/// Runs a consumer on every device with every schedule, and checks that the results are the same.
fn run<R: PartialEq + Debug + 'static>(consumer: impl Fn() -> Consumer<R>) -> R {
    let mut results: Vec<(String, R)> = Vec::new();
    for context in contexts() {
        for (number, streaming) in schedules().iter().enumerate() {
            let result = consumer().run_with(&context, streaming);
            let name = format!("{context:?}, schedule {number}");
            results.push((name.clone(), result.unwrap_or_else(|error| panic!("{name}: {error}"))));
        }
    }
    let (first_name, first) = results.remove(0);
    for (name, result) in results {
        assert_eq!(result, first, "{name} against {first_name}");
    }
    first
}

fn vector<T: warpwise::Elt>(elements: Vec<T>) -> Vector<T> {
    Array::from_vec([elements.len()], elements).unwrap()
}

fn scalar<T: warpwise::Elt>(element: T) -> Singleton<T> {
    Array::from_vec([], vec![element]).unwrap()
}
