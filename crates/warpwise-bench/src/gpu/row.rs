//! One row: prepares all programs that can do a work, runs them in turn, and compares times and results.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use warpwise_driver::{Context, Options};

use super::Settings;
use super::by_hand::{by_hand, source_of};
use super::libraries::Libraries;
use super::probes::{Probe, need};
use super::python::{self, InputFiles, Server};
use super::report::{Figure, PeerTime, Row, Share};
use super::resident::Resident;
use crate::compare::disagreement;
use crate::measure::{Ratio, Times, contest_settling};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::value::Value;
use crate::work::{DeviceGoal, DeviceWork, Work, device_works};

/// The other programs that take part in the works that they can do.
pub struct Others {
    pub(super) libraries: Vec<Libraries>,
    pub(super) servers: Vec<Rc<RefCell<Server>>>,
}

/// The role of a peer.
#[derive(Clone, Copy)]
enum Part {
    Ours,
    Other,
    /// Runs Warpwise's reduction of this many bytes to a number.
    Flat(f64),
    /// Moves this many bytes, or does this many operations.
    Probe(f64),
    /// Gave other results than the processor, so that its time does not count.
    Wrong,
}

/// The peers with their roles, and the problems that excluded others.
struct Field {
    parts: Vec<Part>,
    peers: Vec<Box<dyn Peer>>,
    problems: Vec<String>,
}

/// No pause before a turn: no peer's threads spin after their work.
const SETTLE: Duration = Duration::ZERO;

/// Measures one work.
pub fn measure(work: &DeviceWork, settings: &Settings<'_>, others: &Others) -> Result<Row, String> {
    let inputs = (work.work.inputs)();
    let context = Context::new();
    let files = if others.servers.is_empty() { None } else { Some(InputFiles::write(&inputs)?) };
    let mut field = Field { parts: Vec::new(), peers: Vec::new(), problems: Vec::new() };
    let ours = Resident::prepare(settings.root, &work.work, &inputs, &context, settings.device)?;
    field.join(Part::Ours, Ok(Some(Box::new(ours))));
    if field.peers.is_empty() {
        return Err(field.problems.remove(0));
    }
    enter(&mut field, work, &inputs, &context, settings);
    for library in &others.libraries {
        field.join(Part::Other, library.peer(&work.work, &inputs, &context, settings.device));
    }
    for server in others.servers.iter().filter(|_| files.is_some()) {
        let loaded = files.as_ref().map_or(Ok(None), |files| python::peer(server, &work.work, files));
        field.join(Part::Other, loaded);
    }
    let times = contest_settling(&mut field.peers, settings.rounds, settings.repetitions, SETTLE)?;
    compare(&work.work, &inputs, settings, &mut field)?;
    Ok(row(work, &field, &times))
}

/// Adds the other peers on the device: a handwritten kernel, probes, the reduction that segmented ones are compared with.
fn enter(
    field: &mut Field,
    DeviceWork { work, goal }: &DeviceWork,
    inputs: &[Value],
    context: &Context,
    settings: &Settings<'_>,
) {
    if source_of(work).is_some() {
        field.join(Part::Other, by_hand(work, inputs, context, settings.device).map(Some));
    }
    if let Some(limit) = work.limit {
        match Probe::prepare(need(limit).0, settings.scale, context, settings.device) {
            Ok(probes) => probes
                .into_iter()
                .for_each(|Probe { amount, peer }| field.join(Part::Probe(amount), Ok(Some(peer)))),
            Err(error) => field.problems.push(format!("the probe of the limit: {error}")),
        }
    }
    if let DeviceGoal::Flat(_) = goal {
        match flat(context, settings) {
            Ok((bytes, peer)) => field.join(Part::Flat(bytes), Ok(Some(peer))),
            Err(error) => field.problems.push(format!("the flat reduction: {error}")),
        }
    }
}

/// Prepares Warpwise's reduction of an array to a number; returns the bytes it reads, and the peer.
fn flat(context: &Context, settings: &Settings<'_>) -> Result<(f64, Box<dyn Peer>), String> {
    let mut works = device_works(settings.scale).into_iter().map(|work| work.work);
    let work = works.find(|work| work.symbol == "sum_f32").ok_or("there is no such work")?;
    let inputs = (work.inputs)();
    let peer = Resident::prepare(settings.root, &work, &inputs, context, settings.device)?;
    Ok((4.0 * work.sizes[0] as f64, Box::new(peer)))
}

impl Field {
    /// Adds a peer that can do the work. It runs once here, because other programs compile on their first run.
    fn join(&mut self, part: Part, peer: Result<Option<Box<dyn Peer>>, String>) {
        let ran = peer.and_then(|peer| match peer {
            Some(mut peer) => match peer.run() {
                Ok(_) => Ok(Some(peer)),
                Err(error) => Err(format!("{} fails: {error}", peer.name())),
            },
            None => Ok(None),
        });
        match ran {
            Ok(Some(peer)) => {
                self.parts.push(part);
                self.peers.push(peer);
            }
            Ok(None) => {}
            Err(error) => self.problems.push(error.lines().next().unwrap_or_default().to_string()),
        }
    }
}

/// Compares all results with the processor's. A peer with different results is excluded; differences of Warpwise's program are an
/// error.
fn compare(work: &Work, inputs: &[Value], settings: &Settings<'_>, field: &mut Field) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut processor = Ours::prepare(settings.root, "cpu", work, inputs, threads, &Options::default())?;
    processor.run()?;
    let expected = processor.results()?;
    for (part, peer) in field.parts.iter_mut().zip(&mut field.peers) {
        match part {
            Part::Ours | Part::Other => {}
            Part::Flat(_) | Part::Probe(_) | Part::Wrong => continue,
        }
        let problem = match peer.results() {
            Ok(results) => disagreement(&expected, &results, work.tolerance)
                .map(|difference| format!("{} and the processor disagree: {difference}", peer.name())),
            Err(error) => Some(format!("the results of {}: {error}", peer.name())),
        };
        match (problem, &part) {
            (None, _) => {}
            (Some(problem), Part::Ours) => return Err(problem),
            (Some(problem), _) => {
                field.problems.push(problem);
                *part = Part::Wrong;
            }
        }
    }
    Ok(())
}

fn row(DeviceWork { work, goal }: &DeviceWork, field: &Field, times: &[Times]) -> Row {
    let ours = &times[0];
    let others = field.parts.iter().zip(times).filter(|(part, _)| matches!(part, Part::Other));
    let peers: Vec<PeerTime> = others
        .map(|(_, times)| PeerTime {
            name: times.name.clone(),
            ms: 1e3 * times.median(),
            ratio: times.over(ours),
        })
        .collect();
    let share = share(work, field, times);
    let (figure, asked) = match goal {
        DeviceGoal::Share(asked) => (share.as_ref().map(|share| ("share".to_string(), share.ratio)), *asked),
        DeviceGoal::Over(names, asked) => (over(names, &peers), *asked),
        DeviceGoal::Flat(asked) => (over_flat(work, field, times), *asked),
    };
    let figure = match figure {
        Some((of, ratio)) => Figure { of, ratio: Some(ratio), asked },
        None => Figure { of: missing(*goal), ratio: None, asked },
    };
    let (name, ours_ms, problems) = (work.name.clone(), Some(1e3 * ours.median()), field.problems.clone());
    Row { name, ours_ms, share, peers, figure: Some(figure), problems }
}

/// Returns the figure's name if no program is available to measure it against.
fn missing(goal: DeviceGoal) -> String {
    match goal {
        DeviceGoal::Share(_) => "share".to_string(),
        DeviceGoal::Over(names, _) => format!("{} / ours", names[0]),
        DeviceGoal::Flat(_) => "flat / ours, for a byte".to_string(),
    }
}

/// Returns the share of the limit that Warpwise's program reached in each round.
fn share(work: &Work, field: &Field, times: &[Times]) -> Option<Share> {
    let (bound, needed) = need(work.limit?);
    let probes = field.parts.iter().zip(times).filter_map(|(part, times)| match part {
        Part::Probe(amount) => Some(times.rounds.iter().map(|time| time / amount).collect()),
        Part::Ours | Part::Other | Part::Flat(_) | Part::Wrong => None,
    });
    // Of several probes the fastest of each round counts.
    let faster = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| a.min(*b)).collect();
    let probe = Times { name: "limit".into(), rounds: probes.reduce(faster)? };
    let (of, unit) = bound.words();
    let rate = 1e-9 / probe.median();
    Some(Share { of: of.into(), unit: unit.into(), rate, ratio: probe.scaled_over(needed, &times[0]) })
}

fn over(names: &[&str], peers: &[PeerTime]) -> Option<(String, Ratio)> {
    let found = names.iter().find_map(|name| peers.iter().find(|peer| peer.name == *name))?;
    Some((format!("{} / ours", found.name), found.ratio))
}

fn over_flat(work: &Work, field: &Field, times: &[Times]) -> Option<(String, Ratio)> {
    let (_, needed) = need(work.limit?);
    let mut flats = field.parts.iter().zip(times).filter_map(|(part, times)| match part {
        Part::Flat(bytes) => Some((*bytes, times)),
        Part::Ours | Part::Other | Part::Probe(_) | Part::Wrong => None,
    });
    let (bytes, flat) = flats.next()?;
    Some((missing(DeviceGoal::Flat(0.0)), flat.scaled_over(needed / bytes, &times[0])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Limit;

    /// Returns the row of a work that moves a hundred bytes, for which every peer ran one round with these times in seconds.
    fn row_of(goal: DeviceGoal, parts: &[(Part, &str, f64)]) -> Row {
        let mut works = device_works(1e-5).into_iter();
        let work = works.find(|work| work.work.symbol == "map_f32").map(|work| work.work);
        let work = Work { limit: Some(Limit::Copy(100.0)), ..work.expect("it is a row") };
        let times = |name: &str, seconds| Times { name: name.into(), rounds: vec![seconds] };
        let times: Vec<Times> = parts.iter().map(|(_, name, seconds)| times(name, *seconds)).collect();
        let parts = parts.iter().map(|(part, ..)| *part).collect();
        let field = Field { parts, peers: Vec::new(), problems: Vec::new() };
        row(&DeviceWork { work, goal }, &field, &times)
    }

    fn figure(row: &Row) -> (&str, Option<f64>) {
        let figure = row.figure.as_ref().unwrap();
        (&figure.of, figure.ratio.map(|ratio| ratio.median))
    }

    #[test]
    fn limits_are_those_of_the_fastest_probe() {
        let probes = [(Part::Probe(400.0), "slow", 8.0), (Part::Probe(200.0), "fast", 2.0)];
        let row = row_of(DeviceGoal::Share(0.9), &[(Part::Ours, "ours", 4.0), probes[0], probes[1]]);
        assert_eq!(figure(&row), ("share", Some(0.25)));
        assert!((row.share.unwrap().rate * 1e9 - 100.0).abs() < 1e-6);
        assert!(row.peers.is_empty());
        let row = row_of(DeviceGoal::Share(0.9), &[(Part::Ours, "ours", 4.0)]);
        assert_eq!(figure(&row), ("share", None));
    }

    #[test]
    fn who_is_wrong_or_not_there_judges_nobody() {
        let goal = DeviceGoal::Over(&["CUB", "CuPy"], 1.0);
        let (ours, cupy) = ((Part::Ours, "ours", 4.0), (Part::Other, "CuPy", 6.0));
        let all = row_of(goal, &[ours, cupy, (Part::Other, "CUB", 2.0)]);
        assert_eq!(figure(&all), ("CUB / ours", Some(0.5)));
        let wrong = row_of(goal, &[ours, cupy, (Part::Wrong, "CUB", 2.0)]);
        assert_eq!(figure(&wrong), ("CuPy / ours", Some(1.5)));
        assert_eq!(wrong.peers.len(), 1);
        assert_eq!(figure(&row_of(goal, &[ours])), ("CUB / ours", None));
    }

    #[test]
    fn segments_are_held_against_the_flat_reduction_by_bytes() {
        let parts = [(Part::Ours, "ours", 4.0), (Part::Flat(200.0), "ours", 4.0)];
        assert_eq!(figure(&row_of(DeviceGoal::Flat(0.8), &parts)), ("flat / ours, for a byte", Some(0.5)));
    }
}
