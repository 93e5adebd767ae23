//! One row: prepares all programs that can do a work, runs them in turn, and compares times and results.

use std::path::Path;
use std::rc::Rc;

use warpwise_driver::Options;

use crate::baseline::{Baseline, Baselines, Licence};
use crate::compare::disagreement;
use crate::futhark::{BACK_ENDS, Futhark};
use crate::measure::{Ratio, Times, contest};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::probe::Probes;
use crate::report::{OURS, Row};
use crate::value::Value;
use crate::work::{Goal, Work};

/// The settings of a measurement.
pub struct Settings<'a> {
    /// The repository.
    pub root: &'a Path,
    /// Temporary folder for compiled programs of other languages and their data.
    pub folder: &'a Path,
    /// C and ISPC programs.
    pub baselines: &'a Baselines,
    /// Whether Futhark's compiler takes part.
    pub futhark: bool,
    /// Number of rounds; every program gets a turn in each.
    pub rounds: usize,
    /// Minimum number of counted runs of a turn.
    pub repetitions: usize,
    /// Factor by which sizes are multiplied.
    pub scale: f64,
}

/// Information for the reader besides the figures.
#[derive(Default)]
struct Notes {
    compilers: Vec<String>,
    problems: Vec<String>,
}

/// Measures one work.
pub fn measure(work: &Work, settings: &Settings) -> Result<Row, String> {
    let inputs = Rc::new((work.inputs)());
    let mut notes = Notes::default();
    let mut peers = peers(work, &inputs, settings, &mut notes)?;
    let programs = peers.len();
    let mut probes = None;
    if let Some(limit) = work.limit {
        let (found, more) = Probes::prepare(limit, settings.scale, settings.baselines)?;
        probes = Some(found);
        peers.extend(more);
    }
    let mut times = contest(&mut peers, settings.rounds, settings.repetitions)?;
    let limits = probes.map(|probes| probes.limits(&times[programs..]));
    times.truncate(programs);
    notes.problems.extend(disagreements(work, &mut peers[..programs])?);
    Ok(row(work, &times, limits.as_ref(), notes))
}

fn peers(
    work: &Work,
    inputs: &Rc<Vec<Value>>,
    settings: &Settings,
    notes: &mut Notes,
) -> Result<Vec<Box<dyn Peer>>, String> {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    let fast = format!("{OURS} fast");
    let names: &[&str] = if work.fast { &[OURS, &fast] } else { &[OURS] };
    for name in names {
        let options = Options { fast_math: *name == fast, ..Options::default() };
        let ours = Ours::prepare(settings.root, name, work, inputs, settings.baselines.threads(), &options);
        match ours.and_then(|mut ours| ours.run().map(|_| ours)) {
            Ok(ours) => peers.push(Box::new(ours)),
            Err(error) => notes.problems.push(first_line(&format!("{name} fails"), &error)),
        }
    }
    let licences: &[Licence] = if work.fast { &[Licence::Strict, Licence::Fast] } else { &[Licence::Strict] };
    for licence in licences {
        let (compiler, peer) = best_c(work, *licence, inputs, settings.baselines)?;
        notes.compilers.push(format!("{} built by {compiler}", peer.name()));
        peers.push(Box::new(peer));
        if let Some(peer) = settings.baselines.ispc(work, *licence, inputs)? {
            peers.push(Box::new(peer));
        }
    }
    if settings.futhark {
        for back_end in BACK_ENDS {
            let threads = settings.baselines.threads();
            match Futhark::start(settings.root, back_end, work, inputs, threads, settings.folder) {
                Ok(peer) => peers.push(Box::new(peer)),
                Err(error) => notes.problems.push(first_line(&format!("futhark {back_end} fails"), &error)),
            }
        }
    }
    Ok(peers)
}

fn first_line(what: &str, error: &str) -> String {
    format!("{what}: {}", error.lines().find(|line| !line.is_empty()).unwrap_or_default())
}

/// Returns the C program built by the compiler whose code is faster, and that compiler's name.
pub fn best_c(
    work: &Work,
    licence: Licence,
    inputs: &Rc<Vec<Value>>,
    baselines: &Baselines,
) -> Result<(&'static str, Baseline), String> {
    let mut best: Option<(f64, &'static str, Baseline)> = None;
    for compiler in &baselines.c_compilers {
        let mut baseline = baselines.c(work, compiler, licence, inputs)?;
        let mut least = f64::INFINITY;
        for _ in 0..3 {
            least = least.min(baseline.run()?.as_secs_f64());
        }
        if best.as_ref().is_none_or(|(time, ..)| least < *time) {
            best = Some((least, compiler.name, baseline));
        }
    }
    best.map(|(_, name, baseline)| (name, baseline)).ok_or_else(|| "there is no C compiler".into())
}

fn disagreements(work: &Work, peers: &mut [Box<dyn Peer>]) -> Result<Vec<String>, String> {
    let (first, others) = peers.split_first_mut().ok_or("nobody can do this work")?;
    let expected = first.results()?;
    let mut found = Vec::new();
    for peer in others {
        if let Some(difference) = disagreement(&expected, &peer.results()?, work.tolerance) {
            found.push(format!("{} against {}: {difference}", first.name(), peer.name()));
        }
    }
    Ok(found)
}

fn row(work: &Work, times: &[Times], limits: Option<&Times>, notes: Notes) -> Row {
    let ours = times.iter().find(|times| times.name == OURS);
    let fast = times.iter().find(|times| times.name == format!("{OURS} fast"));
    let is_fast = |name: &str| name.contains("fast");
    let same_licence = |name: &str| if is_fast(name) { fast.or(ours) } else { ours };
    let mut ratios = Vec::new();
    for other in times.iter().filter(|times| !times.name.starts_with(OURS)) {
        if let Some(ours) = same_licence(&other.name) {
            ratios.push((other.name.clone(), other.over(ours)));
        }
    }
    let share = |times: &Times| limits.map(|limits| (times.name.clone(), limits.over(times)));
    let shares: Vec<(String, Ratio)> = times.iter().filter_map(share).collect();
    let (goal, floor, measured) = judge(work, &ratios, &shares);
    let milliseconds = times.iter().map(|times| (times.name.clone(), 1e3 * times.median())).collect();
    Row {
        name: work.name.clone(),
        times: milliseconds,
        ratios,
        shares,
        goal,
        floor,
        measured,
        problems: notes.problems,
        notes: notes.compilers,
    }
}

/// Returns the figure by which the work is judged: its name, the required value and the measured one.
fn judge(
    work: &Work,
    ratios: &[(String, Ratio)],
    shares: &[(String, Ratio)],
) -> (String, Option<f64>, Option<Ratio>) {
    let against = |start: &str| {
        let those = ratios.iter().filter(|(name, _)| name.starts_with(start));
        those.map(|(_, ratio)| *ratio).min_by(|a, b| a.median.total_cmp(&b.median))
    };
    match work.goal {
        Goal::Share(floor) => {
            let ours = shares.iter().find(|(name, _)| name == OURS).map(|(_, share)| *share);
            ("share of the limit".into(), Some(floor), ours)
        }
        Goal::StrictC(floor) => ("C strict / ours".into(), Some(floor), against("C strict")),
        Goal::BestC(floor) => ("best C / ours".into(), Some(floor), against("C ")),
        Goal::Ispc(floor) => match against("ISPC strict") {
            Some(ratio) => ("ISPC / ours".into(), Some(floor), Some(ratio)),
            None => ("C strict / ours".into(), Some(floor), against("C strict")),
        },
        Goal::OpenBlas(floor) => ("OpenBLAS / ours".into(), Some(floor), against("OpenBLAS")),
    }
}
