//! MD5 over a dictionary, against `hashcat` on the same words in the same file.
//!
//! Both programs read the file, find the words and compare the hash of each with one that no word has. `hashcat` compiles kernels
//! and measures its device before it begins, which does not count: its time is that of a large dictionary minus that of a small
//! one. It runs with and without its kernels for short words (`-O`), and the faster run counts. Its benchmark mode, which
//! generates candidates on the device, is reported as well.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector};

use super::ours::words;
use super::report::{Asked, Figure};
use crate::measure::Ratio;

#[path = "../../../warpwise/examples/md5.rs"]
#[allow(dead_code, clippy::duplicate_mod, reason = "the programs over streams have it, too")]
mod md5;

/// Required share of `hashcat`'s speed.
const ASKED: f64 = 0.8;

/// Number of words of the small dictionary, for which `hashcat` takes as long as for none.
const FEW: usize = 1000;

/// Maximum number of rounds, since `hashcat` takes ten seconds to begin.
const MOST_ROUNDS: usize = 3;

/// Options that select `hashcat`'s kernels: for words of any length, and for short ones.
const KERNELS: [Option<&str>; 2] = [None, Some("-O")];

/// The hash that is searched for: no word has it.
const NOWHERE: &str = "00112233445566778899aabbccddeeff";

/// Measures speeds, in millions of words per second.
pub fn figures(context: &Context, count: usize, rounds: usize) -> Result<Vec<Figure>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let many = write(folder.path(), "many", count)?;
    let few = write(folder.path(), "few", FEW)?;
    let ours = Search(md5::Search::new(context).map_err(words)?);
    ours.check(&many)?;
    let hashcat = Hashcat::find(folder.path())?;
    hashcat.check(&few)?;
    // `hashcat` counts a dictionary's words once, and compiles a kernel once.
    KERNELS.iter().try_for_each(|kernels| hashcat.seconds(&many, *kernels).map(drop))?;
    let speed = |seconds: f64, words: usize| words as f64 / seconds / 1e6;
    let (mut own, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.min(MOST_ROUNDS) {
        let ours = speed(ours.seconds(&many)?, count);
        let mut fastest = 0.0_f64;
        for kernels in KERNELS {
            let beyond = hashcat.seconds(&many, kernels)? - hashcat.seconds(&few, kernels)?;
            if beyond <= 0.0 {
                return Err("the dictionary is too small to measure hashcat with".into());
            }
            fastest = fastest.max(speed(beyond, count - FEW));
        }
        own.push(ours);
        theirs.push(fastest);
        ratios.push(ours / fastest);
    }
    let what = format!("MD5 over a dictionary of {count} words");
    Ok(vec![
        Figure::asked(format!("{what}, ours / hashcat"), "", Ratio::of(ratios), Asked::AtLeast(ASKED)),
        Figure::beside(format!("{what}, ours, from the file to the answer"), "MH/s", Ratio::of(own)),
        Figure::beside(format!("{what}, hashcat"), "MH/s", Ratio::of(theirs)),
        Figure::beside("MD5 of packed words, ours", "MH/s", packed(context, count, rounds)?),
        Figure::beside("MD5, hashcat's benchmark mode", "MH/s", hashcat.benchmark()?),
    ])
}

/// Writes a dictionary of distinct words of 5 to 13 letters and digits.
fn write(folder: &Path, name: &str, count: usize) -> Result<PathBuf, String> {
    let mut text = Vec::with_capacity(11 * count);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let letters = (state >> 33).to_le_bytes();
        text.extend(letters[..1 + (state >> 61) as usize % 5].iter().map(|byte| b'a' + byte % 26));
        text.extend_from_slice(format!("{number:04}\n").as_bytes());
    }
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The search of the crate's example.
struct Search(md5::Search);

impl Search {
    /// Checks that the search finds the last word by its hash from `md5sum`.
    fn check(&self, dictionary: &Path) -> Result<(), String> {
        let text = read(dictionary)?;
        let last = text.split(|&byte| byte == b'\n').rfind(|word| !word.is_empty()).unwrap_or_default();
        let sum = sum_of(last)?;
        let wanted = md5::numbers(&sum).map_err(|error| error.to_string())?;
        match self.0.find(&text, wanted).map_err(words)? {
            Some(found) if found == last => Ok(()),
            found => Err(format!("{sum} is found as {found:?}")),
        }
    }

    /// Returns the seconds to read a dictionary and to try all words.
    fn seconds(&self, dictionary: &Path) -> Result<f64, String> {
        let wanted = md5::numbers(NOWHERE).map_err(|error| error.to_string())?;
        let start = Instant::now();
        let text = read(dictionary)?;
        let found = self.0.find(&text, wanted).map_err(words)?;
        let time = start.elapsed().as_secs_f64();
        match found {
            None => Ok(time),
            Some(word) => Err(format!("{word:?} has a sum that no word has")),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the hash of a word by the system's `md5sum`.
fn sum_of(word: &[u8]) -> Result<String, String> {
    let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(file.path(), word).map_err(|error| error.to_string())?;
    let output =
        Command::new("md5sum").arg(file.path()).output().map_err(|error| format!("md5sum: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).chars().take(32).collect())
}

/// Measures the speed of hashing packed words of four numbers each.
fn packed(context: &Context, count: usize, rounds: usize) -> Result<Ratio, String> {
    let function = context
        .compile(|candidates: Acc<Vector<[u32; 4]>>, wanted: Exp<u32>| {
            let sums =
                candidates.map(|numbers| md5::digest(md5::padded(&numbers, warpwise::Exp::constant(12))));
            sums.imap(move |number, (a, ..)| warpwise::cond(a.eq(wanted), number, -1))
                .fold(-1, |x, y| x.max(y))
        })
        .map_err(words)?;
    let candidate = |i: usize| [i as u32, 0x6162_6364, 0x6566_6768, 0x80];
    let candidates = Array::from_vec([count], (0..count).map(candidate).collect()).map_err(words)?;
    let mut speeds = Vec::new();
    for _ in 0..=rounds {
        let start = Instant::now();
        function.run(&candidates, 0).map_err(words)?;
        speeds.push(count as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    Ok(Ratio::of(speeds[1..].to_vec()))
}

/// `hashcat`, which keeps its files in a folder of this benchmark.
struct Hashcat {
    home: PathBuf,
}

impl Hashcat {
    fn find(home: &Path) -> Result<Hashcat, String> {
        let hashcat = Hashcat { home: home.to_path_buf() };
        match hashcat.command().arg("--version").output() {
            Ok(output) if output.status.success() => Ok(hashcat),
            _ => {
                Err("hashcat is not on the path (on Debian: apt-get install hashcat pocl-opencl-icd)".into())
            }
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("hashcat");
        // `hashcat` considers PoCL out of date, which `--force` overrides.
        command.env("HOME", &self.home).env_remove("XDG_DATA_HOME").env_remove("XDG_CACHE_HOME");
        command.current_dir(&self.home).args(["--force", "--quiet", "--hash-type", "0"]);
        command
    }

    fn attack(&self, dictionary: &Path, sum: &str, kernels: Option<&str>) -> Command {
        let mut command = self.command();
        command.args(["--attack-mode", "0", "--potfile-disable"]).args(kernels).arg(sum).arg(dictionary);
        command
    }

    /// Checks that `hashcat` finds a word.
    fn check(&self, dictionary: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(dictionary).map_err(|error| error.to_string())?;
        let last = text.lines().next_back().unwrap_or_default();
        let output = self.attack(dictionary, &sum_of(last.as_bytes())?, None).output();
        let output = output.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout);
        match said.trim().ends_with(last) && !last.is_empty() {
            true => Ok(()),
            false => Err(format!("hashcat: {said}{}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// Returns the seconds from the start of `hashcat` until it has tried all words.
    fn seconds(&self, dictionary: &Path, kernels: Option<&str>) -> Result<f64, String> {
        let start = Instant::now();
        let output = self.attack(dictionary, NOWHERE, kernels).output().map_err(|error| error.to_string())?;
        let time = start.elapsed().as_secs_f64();
        // Exit code 1 means that all words were tried.
        match output.status.code() {
            Some(1) => Ok(time),
            _ => Err(format!("hashcat: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    fn benchmark(&self) -> Result<Ratio, String> {
        let output = self.command().args(["--benchmark", "--machine-readable"]).output();
        let output = output.map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout);
        // device:mode:core clock:memory clock:milliseconds:hashes per second
        let speed = |line: &str| line.split(':').nth(5)?.trim().parse::<f64>().ok();
        let speeds: Vec<f64> = said.lines().filter_map(speed).map(|speed| speed / 1e6).collect();
        if speeds.is_empty() { Err(format!("hashcat: {said}")) } else { Ok(Ratio::of(speeds)) }
    }
}
