//! Sequences against programs in C, MKL and hashcat.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Serialize;
use warpwise::{Acc, Context, Seq, Vector, consume};

use super::mkl::Mkl;
use super::subjects::in_elements;
use super::{hashcat, matrices, pages};
use crate::baseline::{Baselines, Licence};
use crate::compare::{CLOSE, disagreement};
use crate::measure::{Ratio, Times, contest};
use crate::peer::Peer;
use crate::row::best_c;
use crate::value::{Kind, Value};
use crate::work::{Goal, Output, Work};

/// The programs that sequences are compared with.
pub const OTHERS: [&str; 2] = ["C", "MKL"];
/// Name of the row that is not a matrix.
pub const PAGE_RANK: &str = "page rank";
/// Maximum number of elements of a matrix.
const ELEMENTS: usize = 12_000_000;

/// The comparison of one program with another.
#[derive(Serialize)]
pub struct Row {
    pub program: &'static str,
    /// Seconds of the sequence.
    pub ours: f64,
    pub other: &'static str,
    /// The other's time over that of the sequence.
    pub sequence: Ratio,
    /// The other's time over that of the whole-array program, if that ran.
    pub whole: Option<Ratio>,
    /// Required minimum of `sequence`.
    pub asked: f64,
}

/// One of Warpwise's programs.
struct Ours {
    name: &'static str,
    run: Box<dyn Fn() -> Result<Vector<f64>, String>>,
    last: Option<Vector<f64>>,
}

impl Ours {
    fn peer(name: &'static str, run: impl Fn() -> Result<Vector<f64>, String> + 'static) -> Box<dyn Peer> {
        Box::new(Ours { name, run: Box::new(run), last: None })
    }
}

impl Peer for Ours {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        self.last = None;
        let start = Instant::now();
        self.last = Some((self.run)()?);
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let last = self.last.as_ref().ok_or("nothing was computed")?;
        Ok(vec![Value::tabulate_f64(&[last.len()], |i| last.as_slice()[i])])
    }
}

/// Measures all rows; `bytes` bounds the sizes.
pub fn rows(
    baselines: &Baselines,
    rounds: usize,
    bytes: u64,
    mkl: Option<&Path>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Row>, String> {
    let context = super::context(baselines.threads())?;
    let mut rows = Vec::new();
    if wanted("smvm") {
        let mkl = mkl.map(|path| Mkl::load(path, baselines.threads()).map(Rc::new)).transpose()?;
        for kind in matrices::KINDS {
            let most = ELEMENTS.min(bytes as usize / 12);
            rows.extend(matrix(&kind, most, &context, baselines, rounds, mkl.as_ref())?);
        }
    }
    if wanted(PAGE_RANK) {
        rows.extend(page_rank(bytes as usize / 184, &context, baselines, rounds)?);
    }
    if wanted("md5") {
        let folder = tempfile::tempdir_in(".").map_err(text)?;
        rows.extend(hashcat::row(&context, folder.path(), bytes as usize / 64, rounds)?);
    }
    Ok(rows)
}

fn matrix(
    kind: &matrices::Kind,
    most: usize,
    context: &Context,
    baselines: &Baselines,
    rounds: usize,
    mkl: Option<&Rc<Mkl>>,
) -> Result<Vec<Row>, String> {
    let matrix = kind.matrix(most).map_err(text)?;
    let vector: Vector<f64> = (0..matrix.columns).map(|i| (i % 17) as f64).collect::<Vec<f64>>().into();
    let mut starts = vec![0];
    matrix.lengths.as_slice().iter().for_each(|length| starts.push(starts[starts.len() - 1] + length));
    let elements = matrix.elements.to_vec();
    let inputs = vec![
        i64s(&starts),
        Value::tabulate_i32(&[elements.len()], |i| elements[i].0),
        Value::tabulate_f64(&[elements.len()], |i| elements[i].1),
        Value::tabulate_f64(&[vector.len()], |i| vector.as_slice()[i]),
    ];
    let lengths = matrix.lengths.clone();
    let product = context
        .compile(|lengths: Acc<Vector<i64>>, elements, x| matrices::whole(&lengths, &elements, &x))
        .map_err(text)?;
    let (context, elements, x) = (context.clone(), matrix.elements.clone(), vector.clone());
    let sequence = move || {
        let rows = Seq::segments(&matrix.elements, &matrix.lengths);
        consume(&context, matrices::sequence(&rows, &vector)).map_err(text)
    };
    let whole = move || product.run(&lengths, &elements, &x).map_err(text);
    let work = work(kind.name.to_string(), "smvm", vec![starts.len() as i64 - 1], starts.len() - 1);
    let mut others: Vec<(f64, Box<dyn Peer>)> = Vec::new();
    if let Some(mkl) = mkl {
        others.push((0.8, Box::new(mkl.product(&inputs)?)));
    }
    let ours = [Ours::peer("sequence", sequence), Ours::peer("whole array", whole)];
    row(kind.name, 1.0, &work, inputs, ours, others, baselines, rounds)
}

fn page_rank(
    count: usize,
    context: &Context,
    baselines: &Baselines,
    rounds: usize,
) -> Result<Vec<Row>, String> {
    let links = pages::links(count, 23).map_err(text)?;
    let shares: Vector<f64> =
        (0..count).map(|i| (1 + i % 10) as f64 / links.len() as f64).collect::<Vec<f64>>().into();
    let plain = links.to_vec();
    let inputs = vec![
        Value::tabulate_i32(&[plain.len()], |i| plain[i].0),
        Value::tabulate_i32(&[plain.len()], |i| plain[i].1),
        Value::tabulate_f64(&[count], |i| shares.as_slice()[i]),
    ];
    let lengths = in_elements(&plain)?;
    let work = work(PAGE_RANK.to_string(), "page_rank", vec![count as i64, plain.len() as i64], count);
    drop(plain);
    let function = context
        .compile(|links: Acc<Vector<pages::Link>>, shares: Acc<Vector<f64>>| pages::whole(&links, &shares))
        .map_err(text)?;
    let (context, all, same) = (context.clone(), links.clone(), shares.clone());
    let sequence = move || {
        let blocks = Seq::segments(&links, &lengths);
        consume(&context, pages::sequence(&blocks, &shares).map_err(text)?).map_err(text)
    };
    let whole = move || function.run(&all, &same).map_err(text);
    let ours = [Ours::peer("sequence", sequence), Ours::peer("whole array", whole)];
    row(PAGE_RANK, 0.9, &work, inputs, ours, Vec::new(), baselines, rounds)
}

#[allow(clippy::too_many_arguments, reason = "all that is compared")]
fn row(
    program: &'static str,
    asked_of_c: f64,
    work: &Work,
    inputs: Vec<Value>,
    ours: [Box<dyn Peer>; 2],
    others: Vec<(f64, Box<dyn Peer>)>,
    baselines: &Baselines,
    rounds: usize,
) -> Result<Vec<Row>, String> {
    let (_, c) = best_c(work, Licence::Strict, &Rc::new(inputs), baselines)?;
    let mut asked = vec![asked_of_c];
    let mut peers: Vec<Box<dyn Peer>> = ours.into_iter().collect();
    peers.push(Box::new(c));
    for (goal, other) in others {
        asked.push(goal);
        peers.push(other);
    }
    let times = contest(&mut peers, rounds, 3)?;
    let expected = peers[2].results()?;
    for peer in &mut peers {
        if let Some(difference) = disagreement(&expected, &peer.results()?, work.tolerance) {
            return Err(format!("{program}: {} against C: {difference}", peer.name()));
        }
    }
    let (sequence, whole) = (&times[0], &times[1]);
    let row = |((other, times), asked): ((&'static str, &Times), f64)| Row {
        program,
        ours: sequence.median(),
        other,
        sequence: times.over(sequence),
        whole: Some(times.over(whole)),
        asked,
    };
    Ok(OTHERS.into_iter().zip(&times[2..]).zip(asked).map(row).collect())
}

fn work(name: String, source: &'static str, sizes: Vec<i64>, results: usize) -> Work {
    Work {
        name,
        program: "",
        entry: "",
        source,
        symbol: source,
        ispc: None,
        sizes,
        inputs: Box::new(Vec::new),
        outputs: vec![Output::Array(Kind::F64, vec![results])],
        tolerance: CLOSE,
        limit: None,
        goal: Goal::BestC(1.0),
        fast: false,
    }
}

fn i64s(numbers: &[i64]) -> Value {
    let mut value = Value::zeros(Kind::I64, &[numbers.len()]);
    value.bytes_mut().copy_from_slice(bytemuck::cast_slice(numbers));
    value
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
