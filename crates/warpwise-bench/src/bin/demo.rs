//! `warpwise-demo`: the output of `make demo`, by the commands that a user would type.
//!
//! Each command is printed before it runs. Pictures go to `target/demo`; the table at the end compares all
//! cores with one, and with code that is neither parallel nor vectorised.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use serde::Deserialize;

/// Shows what Warpwise does.
#[derive(Parser)]
struct Arguments {
    /// The command to show.
    #[arg(long, default_value = "target/release/warpwise")]
    warpwise: PathBuf,
    /// The folder for pictures and times.
    #[arg(long, default_value = "target/demo")]
    folder: PathBuf,
}

/// A case in the table.
struct Shown {
    name: &'static str,
    program: &'static str,
    entry: &'static str,
    case: &'static str,
    size: &'static str,
}

const TABLE: [Shown; 4] = [
    Shown {
        name: "picture pipeline",
        program: "examples/picture.fut",
        entry: "main",
        case: "large",
        size: "6000 x 4000 pixels",
    },
    Shown {
        name: "hotspot",
        program: "benchmarks/hotspot.fut",
        entry: "warm",
        case: "large",
        size: "1024 x 1024 cells, 100 steps",
    },
    Shown {
        name: "k-means",
        program: "benchmarks/kmeans.fut",
        entry: "five",
        case: "large",
        size: "1 000 000 points, 5 centres",
    },
    Shown {
        name: "Mandelbrot",
        program: "benchmarks/mandelbrot.fut",
        entry: "picture",
        case: "whole",
        size: "4000 x 4000 pixels",
    },
];

/// The compared configurations: headings and options.
const CONFIGURATIONS: [(&str, &[&str]); 3] = [
    ("all cores", &[]),
    ("one core", &["--threads", "1"]),
    ("one core, no vectors", &["--threads", "1", "--vector-width", "1"]),
];

/// The part of `warpwise bench --json` that is used here.
#[derive(Deserialize)]
struct Report {
    cases: Vec<Measured>,
}

#[derive(Deserialize)]
struct Measured {
    entry: String,
    case: String,
    median_us: f64,
}

fn main() -> ExitCode {
    match demonstrate(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("demo: {message}");
            ExitCode::FAILURE
        }
    }
}

fn demonstrate(arguments: &Arguments) -> Result<(), String> {
    std::fs::create_dir_all(&arguments.folder)
        .map_err(|error| format!("{}: {error}", arguments.folder.display()))?;
    let file = |name: &str| arguments.folder.join(name).display().to_string();
    let warpwise = |words: &[&str]| command(&arguments.warpwise, words);

    say("A picture goes in, its edges come out: grey, blurred, Sobel's operator, histogram equalised.");
    warpwise(&["run", "examples/picture.fut", "-o", &file("edges.png"), "examples/landscape.png"])?;
    say("The compiled programs are compared with the reference interpreter, on given and on generated data.");
    warpwise(&["test", "examples/picture.fut", "benchmarks/hotspot.fut", "benchmarks/kmeans.fut"])?;
    say("A picture of the Mandelbrot set, 4000 by 4000 pixels.");
    let view = ["--", "4000", "4000", "-0.7f32", "0f32", "3.067f32", "100", "16f32"];
    let picture = file("mandelbrot.png");
    warpwise(&[&["run", "benchmarks/mandelbrot.fut", "-e", "picture", "-o", &picture][..], &view].concat())?;
    say("How fast that is: medians of several runs.");
    let times = times(arguments)?;
    print!("{}", table(&times));
    println!("\nThe pictures are {} and {picture}.", file("edges.png"));
    Ok(())
}

fn say(text: &str) {
    println!("\n{text}");
}

/// Prints a command, runs it, and requires it to succeed.
fn command(warpwise: &Path, words: &[&str]) -> Result<(), String> {
    let line = format!("{} {}", warpwise.display(), words.join(" "));
    println!("$ {line}");
    let status = Command::new(warpwise).args(words).status().map_err(|error| format!("{line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

/// Returns the milliseconds in each configuration for each line of the table.
fn times(arguments: &Arguments) -> Result<Vec<[f64; 3]>, String> {
    let mut lines = Vec::new();
    for shown in &TABLE {
        let mut line = [0.0; 3];
        for (time, (_, options)) in line.iter_mut().zip(CONFIGURATIONS) {
            *time = milliseconds(arguments, shown, options)?;
        }
        lines.push(line);
    }
    Ok(lines)
}

fn milliseconds(arguments: &Arguments, shown: &Shown, options: &[&str]) -> Result<f64, String> {
    let json = arguments.folder.join("times.json");
    let mut command = Command::new(&arguments.warpwise);
    command.args(["bench", shown.program, "-e", shown.entry, "--json"]).arg(&json).args(options);
    let status = command.stdout(Stdio::null()).status().map_err(|error| format!("{command:?}: {error}"))?;
    if !status.success() {
        return Err(format!("{command:?}: {status}"));
    }
    let text = std::fs::read_to_string(&json).map_err(|error| format!("{}: {error}", json.display()))?;
    median_of(&text, shown).map_err(|error| format!("{command:?}: {error}"))
}

fn median_of(json: &str, shown: &Shown) -> Result<f64, String> {
    let measured: Report = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let is_shown = |one: &&Measured| one.entry == shown.entry && one.case.contains(shown.case);
    let found = measured.cases.iter().find(is_shown).ok_or_else(|| format!("no case '{}'", shown.case))?;
    Ok(found.median_us / 1e3)
}

fn table(times: &[[f64; 3]]) -> String {
    let mut text = format!("\n{:<18} {:<30} {:>10}", "program", "size", "all cores");
    for (heading, _) in &CONFIGURATIONS[1..] {
        text.push_str(&format!("  over {heading:<20}"));
    }
    text.push('\n');
    for (shown, [all, one, scalar]) in TABLE.iter().zip(times) {
        text.push_str(&format!("{:<18} {:<30} {all:>7.1} ms", shown.name, shown.size));
        for other in [one, scalar] {
            let ratio = other / all;
            text.push_str(&format!("  {:<25}", format!("{ratio:.1} x ({other:.1} ms)")));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_case_is_found() {
        let json = r#"{"cases": [{"program": "p", "entry": "warm", "case": "[33][70]f32", "median_us": 5, "min_us": 4, "max_us": 9, "runs": 10},
                       {"program": "p", "entry": "warm", "case": "large", "median_us": 2500.0, "min_us": 4, "max_us": 9, "runs": 10}]}"#;
        assert_eq!(median_of(json, &TABLE[1]), Ok(2.5));
        assert!(median_of(json, &TABLE[2]).is_err());
        assert!(median_of("{", &TABLE[1]).is_err());
    }

    #[test]
    fn ratios_are_over_all_cores() {
        let text = table(&[[10.0, 19.0, 150.0]; 4]);
        assert!(text.contains("10.0 ms  1.9 x (19.0 ms)"), "{text}");
        assert!(text.contains("15.0 x (150.0 ms)"), "{text}");
    }
}
