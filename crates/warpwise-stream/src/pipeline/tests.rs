//! Streams without programs: steps and sinks are written in Rust.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use warpwise_driver::{ArgumentError, CallError};
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, Value};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::CancelFlag;

use super::*;
use crate::element::{Cause, ElementType};
use crate::sink::Flow;
use crate::source::{End, Read, SourceOptions, Take, Wanted, open};

/// Numbers of elements read and computed, which other threads can wait for.
#[derive(Clone, Default)]
struct Seen(Arc<(Mutex<[u64; 2]>, Condvar)>);

const READ: usize = 0;
const COMPUTED: usize = 1;

impl Seen {
    fn add(&self, what: usize, count: u64) {
        self.0.0.lock().unwrap()[what] += count;
        self.0.1.notify_all();
    }

    /// Waits until the number is reached; fails if it never is.
    fn wait(&self, what: usize, count: u64) {
        let long = Duration::from_secs(120);
        let waited = self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), long, |seen| seen[what] < count);
        assert!(!waited.unwrap().1.timed_out(), "nothing goes on meanwhile");
    }
}

/// The numbers from 0 on, with an optional end or failure at some place.
struct Numbers {
    element: ElementType,
    at: u64,
    end: Option<(u64, End)>,
    seen: Seen,
}

impl Numbers {
    fn new(end: Option<(u64, End)>) -> Numbers {
        let element = ElementType { scalar: ValueType::I64, shape: Shape::new() };
        Numbers { element, at: 0, end, seen: Seen::default() }
    }

    fn finished(count: u64) -> Box<dyn Source> {
        Box::new(Numbers::new(Some((count, End::Finished))))
    }
}

impl Source for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        for (done, target) in target.chunks_exact_mut(8).enumerate() {
            if let Some((at, end)) = &self.end
                && *at == self.at
            {
                return Read { count: done as u64, end: Some(end.clone()) };
            }
            target.copy_from_slice(&self.at.to_le_bytes());
            self.at += 1;
            self.seen.add(READ, 1);
        }
        Read { count, end: None }
    }
}

/// The elements that a sink received, and whether it was finished.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<(Vec<i64>, bool)>>);

struct Collect {
    kept: Kept,
    most: usize,
    failing: Option<usize>,
    /// Makes a write wait until more elements than written are computed; the number is that of all elements.
    behind: Option<(Seen, u64)>,
}

impl Kept {
    fn sink(&self) -> Collect {
        Collect { kept: self.clone(), most: usize::MAX, failing: None, behind: None }
    }

    fn taken(&self) -> Vec<i64> {
        let kept = self.0.lock().unwrap();
        assert!(kept.1, "the sink was finished");
        kept.0.clone()
    }
}

impl Sink for Collect {
    fn name(&self) -> &str {
        "list"
    }

    fn begin(&mut self, _element: &ElementType) -> Result<(), String> {
        Ok(())
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let mut kept = self.kept.0.lock().unwrap();
        if let Some((seen, all)) = &self.behind {
            seen.wait(COMPUTED, (2 * (kept.0.len() + elements.len()) as u64 + 1).min(*all));
        }
        if self.failing.is_some_and(|failing| kept.0.len() >= failing) {
            return Err("full".to_string());
        }
        kept.0.extend_from_slice(elements.as_slice::<i64>().unwrap());
        Ok(if kept.0.len() >= self.most { Flow::Enough } else { Flow::More })
    }

    fn finish(&mut self) -> Result<(), String> {
        self.kept.0.lock().unwrap().1 = true;
        Ok(())
    }
}

/// Squares the even numbers and drops the others.
struct EvenSquares {
    memory: MemoryPool,
    calls: Vec<usize>,
    seen: Seen,
    /// Makes a call wait until more elements than computed are read; the number is that of all elements.
    behind: Option<u64>,
}

impl Step for EvenSquares {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let numbers = columns[0].as_slice::<i64>().unwrap();
        self.calls.push(numbers.len());
        if let Some(all) = self.behind {
            self.seen.wait(READ, (self.calls.iter().sum::<usize>() as u64 + 1).min(all));
        }
        self.seen.add(COMPUTED, numbers.len() as u64);
        let squares = numbers.iter().filter(|&x| x % 2 == 0).map(|x| x * x);
        let array = Array::from_elements(&self.memory, squares)
            .map_err(|error| CallError::Argument(ArgumentError::OutOfMemory(error)))?;
        Ok(vec![Value::array(ValueType::I64, array)])
    }
}

fn settings(grouping: Grouping, budget: u64) -> Settings {
    Settings { grouping, memory: MemoryPool::new(budget), patience: None, cancel: CancelFlag::default() }
}

fn even_squares(settings: &Settings) -> EvenSquares {
    EvenSquares { memory: settings.memory.clone(), calls: Vec::new(), seen: Seen::default(), behind: None }
}

fn expected(count: i64) -> Vec<i64> {
    (0..count).filter(|x| x % 2 == 0).map(|x| x * x).collect()
}

/// Runs a stream of squares; no memory may be left in use.
fn squares(source: Box<dyn Source>, sink: Collect, settings: &Settings) -> (Outcome, Vec<usize>) {
    let mut step = even_squares(settings);
    let outcome = run(vec![source], &mut step, vec![Box::new(sink)], settings, &mut |_| {});
    assert_eq!(settings.memory.statistics().live, 0, "everything was given back");
    (outcome, step.calls)
}

fn groupings(count: u64) -> Vec<Grouping> {
    use Grouping::*;
    let sizes = [1, 2, 3, count.max(1), count + 1];
    let of = |size| [Blocks(size), Fixed(size)];
    sizes.into_iter().flat_map(of).chain([Elementwise]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_grouping_gives_the_list(count in 0_u64..200, failing in 0_u64..200) {
        for grouping in groupings(count) {
            let (kept, settings) = (Kept::default(), settings(grouping, 1 << 22));
            let (outcome, calls) = squares(Numbers::finished(count), kept.sink(), &settings);
            prop_assert_eq!(outcome.error, None);
            prop_assert_eq!(outcome.done.elements, count);
            prop_assert_eq!(kept.taken(), expected(count as i64), "{:?}", grouping);
            if let Grouping::Blocks(size) = grouping {
                let whole = vec![size as usize; (count / size) as usize];
                let rest = Some((count % size) as usize).filter(|&rest| rest > 0 || count == 0);
                prop_assert_eq!(calls, whole.into_iter().chain(rest).collect::<Vec<_>>());
            }
            let kept = Kept::default();
            let source = Numbers::new(Some((failing, End::Failed("broken".to_string()))));
            let (outcome, _) = squares(Box::new(source), kept.sink(), &settings);
            let error = outcome.error.expect("the source failed");
            prop_assert_eq!(error.element, failing);
            prop_assert_eq!(error.to_string(), format!("numbers: element {failing}: broken"));
            prop_assert_eq!(kept.taken(), expected(failing as i64), "nothing is lost");
        }
    }
}

#[test]
fn an_infinite_source_ends_with_take_or_with_the_sink() {
    for grouping in groupings(100) {
        let (kept, settings) = (Kept::default(), settings(grouping, 1 << 22));
        let first = Take::new(Numbers::new(None), 1001);
        let (outcome, _) = squares(Box::new(first), kept.sink(), &settings);
        assert_eq!((outcome.error, kept.taken()), (None, expected(1001)));
        let kept = Kept::default();
        let sink = Collect { most: 500, ..kept.sink() };
        let (outcome, _) = squares(Box::new(Numbers::new(None)), sink, &settings);
        assert_eq!(outcome.error, None);
        let taken = kept.taken();
        assert_eq!(taken, expected(2 * taken.len() as i64), "a start of the whole");
        assert!(taken.len() >= 500);
    }
}

#[test]
fn a_full_sink_ends_the_stream() {
    for grouping in groupings(10) {
        let (kept, settings) = (Kept::default(), settings(grouping, 1 << 22));
        let sink = Collect { failing: Some(10), ..kept.sink() };
        let (outcome, _) = squares(Box::new(Numbers::new(None)), sink, &settings);
        let error = outcome.error.unwrap();
        assert_eq!(error.cause, Cause::Sink { name: "list".to_string(), message: "full".to_string() });
        assert!(kept.taken().len() >= 10);
    }
}

#[test]
fn cancelling_keeps_what_was_computed() {
    for grouping in groupings(10) {
        let (kept, settings) = (Kept::default(), settings(grouping, 1 << 22));
        let (cancel, mut step) = (settings.cancel.clone(), even_squares(&settings));
        let (source, sink) = (Box::new(Numbers::new(None)), Box::new(kept.sink()));
        let mut stop = |done: &Done| {
            if done.elements >= 20 {
                cancel.set()
            }
        };
        let outcome = run(vec![source], &mut step, vec![sink], &settings, &mut stop);
        assert_eq!(outcome.error.unwrap().cause, Cause::Cancelled);
        assert_eq!(kept.taken(), expected(outcome.done.elements as i64));
        assert_eq!(settings.memory.statistics().live, 0);
    }
}

/// A source that hangs after the first ten numbers, until the lock is released.
struct Stuck {
    numbers: Numbers,
    hang: Arc<Mutex<()>>,
}

impl Source for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    fn element(&self) -> &ElementType {
        self.numbers.element()
    }

    fn left(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        if self.numbers.at >= 10 {
            drop(self.hang.lock());
        }
        self.numbers.read(count, target)
    }
}

#[test]
fn a_source_that_hangs_does_not_keep_a_cancelled_stream() {
    let (kept, settings) = (Kept::default(), settings(Grouping::Fixed(10), 1 << 22));
    let (cancel, mut step) = (settings.cancel.clone(), even_squares(&settings));
    let hang = Arc::default();
    let source = Stuck { numbers: Numbers::new(None), hang: Arc::clone(&hang) };
    let hanging = hang.lock().unwrap();
    let asked = Mutex::new(None);
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            *asked.lock().unwrap() = Some(Instant::now());
            cancel.set();
        });
        run(vec![Box::new(source)], &mut step, vec![Box::new(kept.sink())], &settings, &mut |_| {})
    });
    assert!(asked.lock().unwrap().unwrap().elapsed() < Duration::from_millis(190));
    drop(hanging);
    assert_eq!(outcome.error.unwrap().cause, Cause::Cancelled);
    assert_eq!(kept.taken(), expected(10), "what was computed is written");
}

#[test]
fn sources_of_different_lengths_are_an_error_where_the_shorter_ends() {
    for grouping in groupings(7) {
        let (kept, settings) = (Kept::default(), settings(grouping, 1 << 22));
        let mut step = even_squares(&settings);
        let sources = vec![Numbers::finished(7), Numbers::finished(9)];
        let outcome = run(sources, &mut step, vec![Box::new(kept.sink())], &settings, &mut |_| {});
        assert_eq!(outcome.error.unwrap().element, 7, "{grouping:?}");
        assert_eq!(kept.taken(), expected(7));
    }
}

#[test]
fn the_budget_holds_and_chunks_adapt() {
    let (kept, settings) = (Kept::default(), settings(Grouping::Elementwise, 1 << 20));
    let (outcome, calls) = squares(Numbers::finished(1_000_000), kept.sink(), &settings);
    assert_eq!((outcome.error, kept.taken()), (None, expected(1_000_000)));
    assert!(settings.memory.statistics().peak_live <= 1 << 20);
    assert_eq!(calls[0], 1, "a stream begins with one element");
    assert!(calls.iter().max().unwrap() > &100, "{:?}", calls.iter().max());
}

#[test]
fn an_element_beyond_the_budget_is_named() {
    let settings = settings(Grouping::Blocks(1 << 20), 1 << 20);
    let kept = Kept::default();
    let (outcome, calls) = squares(Numbers::finished(5), kept.sink(), &settings);
    assert!(matches!(outcome.error.unwrap().cause, Cause::Memory(_)));
    assert!(calls.is_empty() && kept.taken().is_empty());
}

#[test]
fn reading_computing_and_writing_overlap() {
    let (seen, kept, settings) = (Seen::default(), Kept::default(), settings(Grouping::Fixed(10), 1 << 20));
    let mut source = Numbers::new(Some((200, End::Finished)));
    source.seen = seen.clone();
    let mut step = EvenSquares { seen: seen.clone(), behind: Some(200), ..even_squares(&settings) };
    let sink = Collect { behind: Some((seen, 200)), ..kept.sink() };
    let outcome = run(vec![Box::new(source)], &mut step, vec![Box::new(sink)], &settings, &mut |_| {});
    assert_eq!((outcome.error, kept.taken()), (None, expected(200)));
}

#[test]
fn elements_added_for_alignment_are_no_units() {
    let mut file = tempfile::NamedTempFile::with_suffix(".raw").unwrap();
    std::io::Write::write_all(&mut file, &[1; 4000]).unwrap();
    let wanted = Wanted { scalar: ValueType::I32, rank: 0 };
    let source = open(file.path(), wanted, &SourceOptions::default()).unwrap();
    let (settings, size) = (settings(Grouping::Elementwise, 1 << 20), Arc::new(AtomicU64::new(1)));
    let mut reader = read::Reader::new(vec![source], settings, Arc::clone(&size));
    let mut next = |units| {
        size.store(units, Ordering::Relaxed);
        let chunk = reader.next().unwrap().unwrap();
        (chunk.units, chunk.calls[0].0)
    };
    assert_eq!([next(1), next(100), next(128)], [(1, 16), (100, 112), (128, 128)]);
    assert_eq!(next(10_000), (744, 744), "the rest");
}
