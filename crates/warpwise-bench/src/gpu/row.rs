//! One row: prepares everybody who can do a work, lets them run in turn, compares times and results.

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

/// Who takes part besides us, where they can.
pub struct Others {
    pub(super) libraries: Vec<Libraries>,
    pub(super) servers: Vec<Rc<RefCell<Server>>>,
}

/// What somebody runs for.
#[derive(Clone, Copy)]
enum Part {
    Ours,
    Other,
    /// Runs our reduction of so many bytes to a number.
    Flat(f64),
    /// Moves so many bytes, or does so many operations.
    Probe(f64),
}

/// Those who take part, with what they do there, and what kept others from it.
struct Field {
    parts: Vec<Part>,
    peers: Vec<Box<dyn Peer>>,
    problems: Vec<String>,
}

/// Nobody's threads wait for work when they have done theirs.
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

/// What runs on the device besides: a kernel by hand, probes, the reduction that segments are held against.
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
            Ok(Probe { amount, peer }) => field.join(Part::Probe(amount), Ok(Some(peer))),
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

/// Our reduction of an array to a number, and the bytes it reads.
fn flat(context: &Context, settings: &Settings<'_>) -> Result<(f64, Box<dyn Peer>), String> {
    let mut works = device_works(settings.scale).into_iter().map(|work| work.work);
    let work = works.find(|work| work.symbol == "sum_f32").ok_or("there is no such work")?;
    let inputs = (work.inputs)();
    let peer = Resident::prepare(settings.root, &work, &inputs, context, settings.device)?;
    Ok((4.0 * work.sizes[0] as f64, Box::new(peer)))
}

impl Field {
    /// Takes somebody in who can do the work: runs it once, because compilers of other programs do theirs then.
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

/// Holds all results against the processor's.
fn compare(work: &Work, inputs: &[Value], settings: &Settings<'_>, field: &mut Field) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut processor = Ours::prepare(settings.root, "cpu", work, inputs, threads, &Options::default())?;
    processor.run()?;
    let expected = processor.results()?;
    for (part, peer) in field.parts.iter().zip(&mut field.peers) {
        match part {
            Part::Ours | Part::Other => {}
            Part::Flat(_) | Part::Probe(_) => continue,
        }
        match peer.results() {
            Ok(results) => {
                if let Some(difference) = disagreement(&expected, &results, work.tolerance) {
                    field.problems.push(format!("{} and the processor disagree: {difference}", peer.name()));
                }
            }
            Err(error) => field.problems.push(format!("the results of {}: {error}", peer.name())),
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

/// The figure's name where nobody is there to measure it against.
fn missing(goal: DeviceGoal) -> String {
    match goal {
        DeviceGoal::Share(_) => "share".to_string(),
        DeviceGoal::Over(names, _) => format!("{} / ours", names[0]),
        DeviceGoal::Flat(_) => "flat / ours, for a byte".to_string(),
    }
}

/// What share of the limit our program reached in each round.
fn share(work: &Work, field: &Field, times: &[Times]) -> Option<Share> {
    let (bound, needed) = need(work.limit?);
    let mut probes = field.parts.iter().zip(times).filter_map(|(part, times)| match part {
        Part::Probe(amount) => Some((*amount, times)),
        Part::Ours | Part::Other | Part::Flat(_) => None,
    });
    let (amount, probe) = probes.next()?;
    let (of, unit) = bound.words();
    let rate = 1e-9 * amount / probe.median();
    Some(Share {
        of: of.into(),
        unit: unit.into(),
        rate,
        ratio: probe.scaled_over(needed / amount, &times[0]),
    })
}

fn over(names: &[&str], peers: &[PeerTime]) -> Option<(String, Ratio)> {
    let found = names.iter().find_map(|name| peers.iter().find(|peer| peer.name == *name))?;
    Some((format!("{} / ours", found.name), found.ratio))
}

fn over_flat(work: &Work, field: &Field, times: &[Times]) -> Option<(String, Ratio)> {
    let (_, needed) = need(work.limit?);
    let mut flats = field.parts.iter().zip(times).filter_map(|(part, times)| match part {
        Part::Flat(bytes) => Some((*bytes, times)),
        Part::Ours | Part::Other | Part::Probe(_) => None,
    });
    let (bytes, flat) = flats.next()?;
    Some((missing(DeviceGoal::Flat(0.0)), flat.scaled_over(needed / bytes, &times[0])))
}
