//! The search for a word against hashcat, if it is installed: both read a dictionary that does not contain the word.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use warpwise::{Context, Streaming};

use super::{peers, words};
use crate::measure::Ratio;

/// The hash that hashcat searches for: no word of the dictionary has it.
const ABSENT: &str = "0123456789abcdef0123456789abcdef";
/// hashcat's exit code when it has tried all words.
const EXHAUSTED: i32 = 1;

/// Measures the row, if hashcat is available. The time that hashcat needs for a dictionary of one word is subtracted.
pub fn row(
    context: &Context,
    folder: &Path,
    count: usize,
    rounds: usize,
) -> Result<Option<peers::Row>, String> {
    if !Command::new("hashcat").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(None);
    }
    let (all, one) = (folder.join("all.txt"), folder.join("one.txt"));
    write(&all, count).and_then(|()| write(&one, 1)).map_err(|error| error.to_string())?;
    words::store(&words::dictionary(count).map_err(text)?, folder).map_err(text)?;
    // The first run builds kernels and counts words.
    for dictionary in [&all, &one] {
        hashcat(dictionary)?;
    }
    let (mut ratios, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let theirs = hashcat(&all)? - hashcat(&one)?;
        let start = Instant::now();
        let blocks = words::read(words::sources(folder).map_err(text)?).map_err(text)?;
        let found =
            words::sequence(&blocks, [1, 2, 3, 4]).run_with(context, &Streaming::new()).map_err(text)?;
        let time = start.elapsed().as_secs_f64();
        if found.to_vec() != [-1] {
            return Err("a word was found that is not there".to_string());
        }
        ours.push(time);
        ratios.push(theirs / time);
    }
    let sequence = Ratio::of(ratios);
    let ours = Ratio::of(ours).median;
    Ok(Some(peers::Row { program: "md5", ours, other: "hashcat", sequence, whole: None, asked: 0.8 }))
}

/// Returns the seconds that hashcat takes for a dictionary.
fn hashcat(dictionary: &Path) -> Result<f64, String> {
    let start = Instant::now();
    let mut command = Command::new("hashcat");
    command.args([
        "-m",
        "0",
        "-a",
        "0",
        "--potfile-disable",
        "--logfile-disable",
        "--force",
        "--quiet",
        "-O",
        "-w",
        "4",
    ]);
    let output = command.arg(ABSENT).arg(dictionary).stdin(Stdio::null()).output().map_err(text)?;
    let time = start.elapsed().as_secs_f64();
    if output.status.code() == Some(EXHAUSTED) {
        return Ok(time);
    }
    Err(format!("hashcat: {}", String::from_utf8_lossy(&output.stderr)))
}

fn write(path: &Path, count: usize) -> std::io::Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for number in 0..count {
        writeln!(file, "{}", words::word(number))?;
    }
    file.flush()
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
