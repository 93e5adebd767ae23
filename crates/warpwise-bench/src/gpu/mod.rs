//! Devices: Warpwise's programs against handwritten kernels, NVIDIA's libraries, libraries of Python, and the device's limits,
//! all on arrays that are already in the device's memory.
//!
//! The kernels (`benchmarks/baselines/gpu`) are one text for CUDA C and OpenCL C: measured on CUDA devices, tested on OpenCL
//! devices. They are compiled like those of Warpwise's programs, by the device's driver or NVRTC, with the same licence for
//! floats. The report names absent libraries. Results are compared with those of the processor.

mod by_hand;
mod launches;
mod libraries;
mod probes;
mod python;
mod report;
mod resident;
mod row;

use std::path::Path;
use std::time::Instant;

use warpwise_driver::{Context, Dialect};

use crate::work::{DeviceWork, device_works};

pub use by_hand::{SOURCES, by_hand};
pub use launches::kernel_text;
pub use probes::PROBES;
pub use python::PythonOn;
pub use report::{Report, Row, in_file_names};
pub use resident::Resident;

/// The settings of the measurement.
pub struct Settings<'a> {
    /// The repository.
    pub root: &'a Path,
    /// The kind of device, and its number.
    pub device: (Dialect, usize),
    /// Number of rounds; every program gets a turn in each.
    pub rounds: usize,
    /// Minimum number of counted runs of a turn.
    pub repetitions: usize,
    /// Factor by which all sizes are multiplied.
    pub scale: f64,
    /// Parts of the names of the selected works; empty selects all.
    pub only: &'a [String],
    /// Number of the selected part, from 1, and number of parts over which the works are distributed.
    pub part: (usize, usize),
    /// Time after which no work begins.
    pub until: Option<Instant>,
    /// The command that runs Python.
    pub python: &'a str,
    /// The processor on which Python's libraries compute.
    pub python_on: PythonOn,
    /// The folder that the report is written to.
    pub results: &'a Path,
}

impl Settings<'_> {
    fn is_wanted(&self, at: usize, name: &str) -> bool {
        let (part, parts) = self.part;
        at % parts == part - 1
            && (self.only.is_empty() || self.only.iter().any(|word| name.contains(word.as_str())))
    }

    /// Returns whether rows measured before stay in the report.
    fn adds(&self) -> bool {
        self.part.1 > 1 || !self.only.is_empty()
    }
}

/// Returns the works with handwritten kernels.
pub fn works_by_hand(scale: f64) -> Vec<DeviceWork> {
    device_works(scale).into_iter().filter(|work| by_hand::source_of(&work.work).is_some()).collect()
}

/// Measures the works, and writes the report after each of them. Returns the report, and the failures of this run; the report may
/// also hold earlier failures.
pub fn measure(settings: &Settings<'_>) -> Result<(Report, Vec<String>), String> {
    // The context is kept until the end: the libraries' state in the device's context must not be destroyed with that of a work.
    let context = Context::new();
    let (dialect, number) = settings.device;
    let memory = context.device_memory(dialect, number).map_err(|error| error.to_string())?;
    let (libraries, mut absent) = libraries::libraries(settings.root, dialect);
    let (servers, more) = python::servers(settings.root, settings.python, settings.python_on);
    absent.extend(more);
    absent.iter().for_each(|who| println!("not there: {who}"));
    let there = servers.iter().map(|server| server.borrow().title.clone()).collect();
    let mut report = Report { device: memory.device().name(), there, absent, rows: Vec::new() };
    if settings.adds() {
        report.rows = Report::rows_before(&report.path(settings.results));
    }
    let works = device_works(settings.scale);
    let order: Vec<&str> = works.iter().map(|work| work.work.name.as_str()).collect();
    let mut problems = Vec::new();
    let others = row::Others { libraries, servers };
    for (_, work) in works.iter().enumerate().filter(|(at, work)| settings.is_wanted(*at, &work.work.name)) {
        let late = settings.until.is_some_and(|until| Instant::now() > until);
        let row = if late { Err("no time left".to_string()) } else { row::measure(work, settings, &others) };
        let row = row.unwrap_or_else(|error| Row::failed(&work.work.name, error));
        print!("{}", row.text());
        problems.extend(row.named_problems());
        report.put(row, &order);
        report.write(settings.results)?;
    }
    Ok((report, problems))
}
