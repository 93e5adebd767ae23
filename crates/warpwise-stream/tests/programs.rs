//! Compiled programs over streams, against the same programs on whole arrays.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};

use warpwise_driver::build::build;
use warpwise_driver::{Context, Options, Program};
use warpwise_runtime::array::{Array, Element, Shape, Value};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;
use warpwise_stream::ElementType;
use warpwise_stream::pipeline::{Grouping, Outcome, Settings, run};
use warpwise_stream::sink::{Flow, Sink};
use warpwise_stream::source::{ByteSource, Source, SourceOptions, Wanted, open};
use warpwise_stream::step::{Fold, Map, Step};

const PROGRAM: &str = "
entry wave [n] (k: f32) (xs: [n]f32) : [n]f32 = map (\\x -> f32.sin (x * k) + x / 3) xs
entry large [n] (xs: [n]f32) : []f32 = filter (> 0.5) xs
entry rows [n] (xs: [n]f32) : [n][2]f32 = map (\\x -> [x, x * x]) xs
entry both [n] (xs: [n]f32) (ys: [n]f32) : ([n]f32, [n]bool) = (map2 (*) xs ys, map2 (<) xs ys)
entry sorted [n] (xs: [n]f32) : [n]f32 = scan f32.max f32.lowest xs
entry inverse [n] (xs: [n]i32) : [n]i32 = map (1000 /) xs
entry init : f32 = 0
entry step [n] (xs: [n]f32) (s: f32) : f32 = s + f32.sum xs
entry merge (s: f32) (t: f32) : f32 = s + t
entry single (x: f32) = x
entry total [n] (xs: [n]f32) = f32.sum xs
";

/// A sink that gathers the bytes of a stream.
struct Bytes {
    kept: Arc<Mutex<Vec<u8>>>,
    element: Arc<Mutex<Option<ElementType>>>,
}

impl Sink for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        *self.element.lock().unwrap() = Some(element.clone());
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        self.kept.lock().unwrap().extend_from_slice(elements.bytes());
        Ok(Flow::More)
    }

    fn finish(&mut self) -> Result<(), String> {
        Ok(())
    }
}

fn context(threads: usize, budget: u64) -> Context {
    Context::with(ThreadPool::new(threads), MemoryPool::new(budget))
}

fn load(context: &Context) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.fut");
    std::fs::write(&path, PROGRAM).unwrap();
    let built = build(Path::new(&path), &Options::default(), None).unwrap();
    built.compiled.load(context).unwrap()
}

/// Makes numbers between -1 and 1.
fn numbers(count: usize) -> Vec<f32> {
    (0..count as u32).map(|i| (i.wrapping_mul(2_654_435_761) as i32) as f32 / i32::MAX as f32).collect()
}

fn source<T: Element>(elements: &[T]) -> Box<dyn Source> {
    let bytes = bytes_of(elements);
    let element = ElementType { scalar: T::TYPE, shape: Shape::new() };
    Box::new(ByteSource::raw("data", Box::new(Cursor::new(bytes)), element).unwrap())
}

fn bytes_of<T: Element>(elements: &[T]) -> Vec<u8> {
    let array = Array::from_slice(&MemoryPool::new(1 << 30), &[elements.len() as i64], elements).unwrap();
    array.bytes().to_vec()
}

fn settings(context: &Context, grouping: Grouping) -> Settings {
    let cancel = context.threads().cancel_flag().clone();
    Settings { grouping, memory: context.memory().clone(), patience: None, cancel }
}

/// The elements that a sink received: their bytes, and their type once it is known.
type Given = (Vec<u8>, Option<ElementType>);

/// Runs a stream and returns the bytes and types of all results.
fn streamed(
    context: &Context,
    step: &mut dyn Step,
    sources: Vec<Box<dyn Source>>,
    results: usize,
    grouping: Grouping,
) -> (Outcome, Vec<Given>) {
    let kept: Vec<Bytes> =
        (0..results).map(|_| Bytes { kept: Arc::default(), element: Arc::default() }).collect();
    let sink = |bytes: &Bytes| {
        Box::new(Bytes { kept: Arc::clone(&bytes.kept), element: Arc::clone(&bytes.element) })
            as Box<dyn Sink>
    };
    let sinks = kept.iter().map(sink).collect();
    let before = context.memory().statistics().live;
    let outcome = run(sources, step, sinks, &settings(context, grouping), &mut |_| {});
    assert!(context.memory().statistics().live <= before.max(1 << 10), "everything was given back");
    let taken =
        kept.iter().map(|bytes| (bytes.kept.lock().unwrap().clone(), bytes.element.lock().unwrap().clone()));
    (outcome, taken.collect())
}

fn groupings(count: u64) -> Vec<Grouping> {
    use Grouping::*;
    vec![Fixed(1), Fixed(2), Fixed(count.max(1)), Elementwise, Blocks(7)]
}

fn whole(
    program: &Program,
    context: &Context,
    entry: &str,
    fixed: &[Value],
    columns: &[&[f32]],
) -> Vec<Vec<u8>> {
    let column = |xs: &&[f32]| Value::from_slice(context.memory(), &[xs.len() as i64], xs).unwrap();
    let arguments = fixed.iter().cloned().chain(columns.iter().map(column)).collect();
    let bytes = |value: &Value| match value {
        Value::Array { array, .. } => array.bytes().to_vec(),
        Value::Scalar { .. } => panic!("an array"),
    };
    program.call(entry, arguments).unwrap().iter().map(bytes).collect()
}

#[test]
fn streaming_elementwise_programs_equals_whole_arrays() {
    let context = context(2, 1 << 24);
    let program = load(&context);
    let fixed = [Value::from_element(0.7_f32)];
    for count in [0, 1, 2, 50, 1000] {
        let (xs, ys) = (numbers(count), numbers(2 * count)[count..].to_vec());
        for (entry, fixed, columns) in [
            ("wave", &fixed[..], &[&xs[..]][..]),
            ("large", &[], &[&xs]),
            ("rows", &[], &[&xs]),
            ("both", &[], &[&xs, &ys]),
        ] {
            let expected = whole(&program, &context, entry, fixed, columns);
            for grouping in groupings(count as u64) {
                let mut step = Map::new(&program, entry, fixed.to_vec()).unwrap();
                let sources = columns.iter().map(|xs| source(xs)).collect();
                let (outcome, results) = streamed(&context, &mut step, sources, expected.len(), grouping);
                assert_eq!(outcome.error, None, "{entry}");
                let bytes: Vec<_> = results.iter().map(|(bytes, _)| bytes.clone()).collect();
                assert_eq!(bytes, expected, "{entry} of {count}, {grouping:?}");
                assert!(
                    results.iter().all(|(_, element)| element.is_some()),
                    "also of nothing the type is known"
                );
            }
        }
    }
}

#[test]
fn blocks_decide_what_a_program_sees_and_nothing_else_does() {
    let xs = numbers(10_000);
    let mut seen = Vec::new();
    for (threads, budget) in [(1, 1 << 22), (2, 1 << 20), (3, 1 << 26)] {
        let context = context(threads, budget);
        let program = load(&context);
        let mut step = Map::new(&program, "sorted", Vec::new()).unwrap();
        let (outcome, results) = streamed(&context, &mut step, vec![source(&xs)], 1, Grouping::Blocks(64));
        assert_eq!(outcome.error, None);
        seen.push(results);
        let by_hand: Vec<u8> = xs
            .chunks(64)
            .flat_map(|block| whole(&program, &context, "sorted", &[], &[block]).remove(0))
            .collect();
        assert_eq!(seen[0][0].0, by_hand);
    }
    assert!(seen.iter().all(|results| *results == seen[0]));
}

#[test]
fn a_fold_is_the_same_for_every_schedule() {
    for count in [0, 1, 63, 64, 65, 10_000] {
        let xs = numbers(count);
        let mut seen = Vec::new();
        for (threads, budget) in [(1, 1 << 22), (2, 1 << 20), (3, 1 << 26)] {
            let context = context(threads, budget);
            let program = load(&context);
            let names = ["init", "step", "merge"].map(str::to_string);
            let mut fold = Fold::new(&program, names).unwrap();
            let (outcome, _) = streamed(&context, &mut fold, vec![source(&xs)], 0, Grouping::Blocks(64));
            assert_eq!(outcome.error, None);
            let state = fold.finish().unwrap();
            let sum = state[0].clone();
            seen.push(format!("{sum:?}"));
            let Value::Scalar { value: warpwise_prim::Scalar::F32(sum), .. } = sum else { panic!("{sum:?}") };
            let exact: f64 = xs.iter().map(|&x| f64::from(x)).sum();
            assert!((f64::from(sum) - exact).abs() < 1e-2, "{sum} {exact}");
        }
        assert!(seen.iter().all(|sum| *sum == seen[0]), "{seen:?}");
    }
}

#[test]
fn a_failing_program_loses_nothing_before_it() {
    let context = context(2, 1 << 24);
    let program = load(&context);
    let mut xs: Vec<i32> = (1..=100).collect();
    xs[57] = 0;
    let mut step = Map::new(&program, "inverse", Vec::new()).unwrap();
    let (outcome, results) = streamed(&context, &mut step, vec![source(&xs)], 1, Grouping::Blocks(10));
    let error = outcome.error.unwrap();
    assert_eq!(error.element, 50);
    assert!(error.to_string().contains("division by zero"), "{error}");
    let expected: Vec<i32> = xs[..50].iter().map(|x| 1000 / x).collect();
    assert_eq!(results[0].0, bytes_of(&expected));
}

#[test]
fn entry_points_that_are_no_streams_are_refused() {
    let context = context(1, 1 << 24);
    let program = load(&context);
    let refused = |entry: &str, fixed: Vec<Value>| Map::new(&program, entry, fixed).err().unwrap();
    assert!(refused("nothing", Vec::new()).contains("no entry point"));
    assert!(refused("single", Vec::new()).contains("not an array"));
    assert!(refused("total", Vec::new()).contains("is no array"));
    assert!(refused("init", Vec::new()).contains("none is streamed"));
    assert!(refused("single", vec![Value::from_element(1_f32)]).contains("none is streamed"));
    let fold = |names: [&str; 3]| Fold::new(&program, names.map(str::to_string)).err().unwrap();
    assert!(fold(["step", "step", "merge"]).contains("without parameters"));
    assert!(fold(["init", "merge", "merge"]).contains("not an array"));
    assert!(fold(["init", "large", "merge"]).contains("arrays..."));
    assert!(fold(["init", "step", "step"]).contains("s -> s -> s"));
}

#[test]
fn mapped_files_and_read_ones_are_alike() {
    let context = context(2, 1 << 24);
    let program = load(&context);
    let xs = numbers(10_001);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("xs.raw");
    std::fs::write(&path, bytes_of(&xs)).unwrap();
    let expected = whole(&program, &context, "large", &[], &[&xs]);
    for grouping in [Grouping::Elementwise, Grouping::Blocks(1024), Grouping::Fixed(100), Grouping::Fixed(1)]
    {
        for unmapped in [false, true] {
            let options = SourceOptions { unmapped, ..SourceOptions::default() };
            let wanted = Wanted { scalar: warpwise_prim::ValueType::F32, rank: 0 };
            let source = open(&path, wanted, &options).unwrap();
            let mut step = Map::new(&program, "large", Vec::new()).unwrap();
            let (outcome, results) = streamed(&context, &mut step, vec![source], 1, grouping);
            assert_eq!(outcome.error, None);
            assert_eq!(results[0].0, expected[0], "{grouping:?} {unmapped}");
        }
    }
}

#[test]
fn two_streams_run_in_one_process() {
    let context = context(2, 1 << 24);
    let program = load(&context);
    let xs = numbers(50_000);
    let fixed = [Value::from_element(0.7_f32)];
    let expected = whole(&program, &context, "wave", &fixed, &[&xs]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let (kept, element) = (Arc::default(), Arc::default());
                let sink = Bytes { kept: Arc::clone(&kept), element };
                let mut step = Map::new(&program, "wave", fixed.to_vec()).unwrap();
                let settings = settings(&context, Grouping::Blocks(512));
                let outcome = run(vec![source(&xs)], &mut step, vec![Box::new(sink)], &settings, &mut |_| {});
                assert_eq!(outcome.error, None);
                assert_eq!(*kept.lock().unwrap(), expected[0]);
            });
        }
    });
}
