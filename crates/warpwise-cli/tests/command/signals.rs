//! Signals, and readers that close their pipes.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, Ran, ended};
use crate::devices::devices;

/// Programs that run forever, each in another way; `short` fills the cache.
const ENDLESS: &str = "
-- ==
-- entry: short
-- input { 1i64 } output { 1i64 }
entry short (n: i64) : i64 = if n < #[param(limit)] 10 then n else n + 1
def next (x: i64) : i64 = (x * 3 + 1) % 1000003
-- A kernel: loops that the lanes leave one by one.
-- ==
-- entry: lanes
-- input { 1000i64 }
entry lanes (n: i64) : [n]i64 = map (\\x -> loop y = x while y >= 0 do next y) (iota n)
-- The code of the host.
entry host (n: i64) : i64 = loop y = n while y >= 0 do next y
-- Short kernels in a loop of the host.
entry kernels (n: i64) = loop xs = iota n for _i < 1000000000 do map next xs
-- One kernel with one long loop per element.
entry counting (n: i64) : [n]f64 = map (\\i -> loop y = f64.i64 i for _j < 1000000000000i64 do y * 0.999 + 0.1) (iota n)
-- Nothing but tasks.
entry tasks (n: i64) : f64 = f64.sum (map (\\i -> f64.sqrt (f64.i64 i)) (iota (n * 1000000000)))
-- Rows within elements.
entry rows (n: i64) : [n]f64 = map (\\i -> f64.sum (map (\\j -> f64.sqrt (f64.i64 (i * j))) (iota 1000000000000))) (iota n)
-- A machine that interprets a program: choices in a loop.
entry machine (n: i64) : [n]i64 =
  map (\\i -> (loop (pc, acc) = (0, i) while pc < 4 do
                match pc
                case 0 -> (1, acc + 1)
                case 1 -> if acc % 7 == 0 then (2, acc) else (3, acc * 3)
                case 2 -> (0, acc / 2)
                case _ -> (0, acc % 1000003)).1) (iota n)
-- Scans wait for one another.
entry scans (n: i64) : i64 = i64.sum (scan (\\x y -> (loop z = x + y while z >= 0 do next z)) 0 (iota (n * 1000)))
";

/// Maximum time that a command may continue after a signal, on a machine with other load.
const SOON: Duration = Duration::from_millis(900);

/// Sends a signal to a command after it has run for a while, and returns its outcome.
fn interrupted(mut command: Command, signal: libc::c_int) -> Ran {
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let start = Instant::now();
    // SAFETY: the process is our child and has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, signal) };
    let ran = ended(child);
    assert!(start.elapsed() < SOON, "{command:?} went on for {:?}", start.elapsed());
    ran
}

/// Returns a folder with those programs, compiled.
fn endless() -> Folder {
    let folder = Folder::with(ENDLESS);
    // Some commands compile all entry points, others only the selected ones.
    folder.run(&["bench", "p.fut", "-e", "short", "-r", "1"]).succeeds();
    folder
}

#[test]
fn one_signal_ends_any_run() {
    let folder = endless();
    let signals = [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)];
    let entries = ["lanes", "host", "kernels", "counting", "tasks", "rows", "machine", "scans"];
    for (entry, (signal, code)) in entries.iter().zip(signals.iter().cycle()) {
        let ran = interrupted(folder.command(&["run", "p.fut", "-e", entry, "1000"]), *signal);
        assert!(ran.output.is_empty(), "{entry}");
        assert_eq!(ran.fails(*code, &["interrupted"]).lines().count(), 1, "{entry}");
    }
}

#[test]
fn one_signal_ends_measuring_and_tuning() {
    let folder = endless();
    folder.command(&["bench", "p.fut", "-e", "short", "-r", "1"]).output().unwrap();
    interrupted(folder.command(&["bench", "p.fut", "-e", "lanes"]), libc::SIGTERM)
        .fails(143, &["interrupted"]);
    interrupted(folder.command(&["autotune", "p.fut", "-e", "lanes", "1000"]), libc::SIGINT)
        .fails(130, &["interrupted"]);
}

#[test]
fn tests_end_with_the_processes_that_run_them() {
    let folder = endless();
    let ran = interrupted(folder.command(&["test", "--cache", "cache/warpwise", "p.fut"]), libc::SIGTERM);
    assert_eq!(ran.code, Some(143));
    let start = Instant::now();
    while processes_in(&folder) > 0 {
        assert!(start.elapsed() < Duration::from_secs(5), "a process lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the number of processes whose working directory is this folder.
fn processes_in(folder: &Folder) -> usize {
    let own = folder.path("").canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter(|process| process.path().join("cwd").read_link().is_ok_and(|cwd| cwd == own)).count()
}

#[test]
fn ignored_signals_stay_ignored() {
    let folder = endless();
    let mut shell = Command::new("sh");
    let line = format!("trap '' HUP; exec {} run p.fut -e lanes 1000", env!("CARGO_BIN_EXE_warpwise"));
    shell.args(["-c", &line]).current_dir(folder.path("")).env("XDG_CACHE_HOME", folder.path("cache"));
    let mut child = shell.spawn().unwrap();
    for (signal, ends) in [(libc::SIGHUP, false), (libc::SIGTERM, true)] {
        std::thread::sleep(Duration::from_millis(600));
        assert!(child.try_wait().unwrap().is_none());
        // SAFETY: the process is our child and has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        if ends {
            assert_eq!(child.wait().unwrap().code(), Some(143));
        }
    }
}

/// A program for streams whose entry point `stuck` never ends for numbers from 100 on.
const STREAM: &str = "
entry stuck [n] (xs: [n]f64) : [n]f64 = map (\\x -> loop y = x while y >= 100 do (y * 1.01) % 500 + 100) xs
entry same [n] (xs: [n]f64) : [n]f64 = xs
";

#[test]
fn what_a_stream_has_written_is_a_valid_file() {
    let folder = Folder::with(STREAM);
    let numbers: Vec<u8> = (0..200).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    folder.write("xs.raw", &numbers);
    folder
        .run(&["stream", "p.fut", "-e", "stuck", "-i", "xs.raw", "--take", "10", "-o", "ys.raw"])
        .succeeds();
    let signals = [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)];
    let endings = ["npy", "raw", "csv", "arrow", "parquet"];
    for (ending, (signal, code)) in endings.into_iter().zip(signals.into_iter().cycle()) {
        let output = format!("out.{ending}");
        let words = ["stream", "p.fut", "-e", "stuck", "-i", "xs.raw", "--block", "50", "-o", &output];
        let partial = format!("out.{ending}.partial");
        let note = format!("what was computed before is in {partial}");
        interrupted(folder.command(&words), signal).fails(code, &["interrupted", &note]);
        assert!(!folder.path(&output).exists());
        // The partial file holds the two blocks before the one that hangs, in a valid format.
        let column: &[&str] = match ending {
            "arrow" | "parquet" => &["--column", "value"],
            "csv" => &["--no-header", "--column", "0"],
            _ => &[],
        };
        let words =
            ["stream", "p.fut", "-e", "same", "-i", &partial, "--input-format", ending, "-o", "back.raw"];
        folder.run(&[&words, column].concat()).succeeds();
        assert_eq!(std::fs::read(folder.path("back.raw")).unwrap(), numbers[..800], "{ending}");
    }
}

#[test]
fn a_stream_that_waits_for_its_input_ends() {
    let folder = Folder::with(STREAM);
    folder.write("xs.raw", [0; 80]);
    folder.run(&["stream", "p.fut", "-e", "same", "-i", "xs.raw", "-o", "ys.raw"]).succeeds();
    let words = [
        "stream",
        "p.fut",
        "-e",
        "same",
        "-i",
        "-",
        "--input-format",
        "raw",
        "--block",
        "2",
        "-o",
        "out.npy",
    ];
    let mut command = folder.command(&words);
    let (input, mut pipe) = std::io::pipe().unwrap();
    pipe.write_all(&[0; 40]).unwrap();
    let ran = interrupted(
        {
            command.stdin(input);
            command
        },
        libc::SIGTERM,
    );
    ran.fails(143, &["interrupted", "out.npy.partial"]);
    // Four of five elements are written: the fifth belongs to an incomplete block.
    let header = std::fs::read(folder.path("out.npy.partial")).unwrap();
    assert!(String::from_utf8_lossy(&header).contains("(4,"), "{header:?}");
    drop(pipe);
}

#[test]
fn executables_and_idle_servers_end_at_once() {
    let folder = endless();
    folder.run(&["build", "p.fut"]).succeeds();
    for (words, signal, code) in [
        (["-e", "lanes"], libc::SIGINT, 130),
        (["-e", "host"], libc::SIGTERM, 143),
        (["--server", "-n"], libc::SIGHUP, 129),
    ] {
        let mut command = Command::new(folder.path("p"));
        let (input, mut pipe) = std::io::pipe().unwrap();
        command.args(words).stdin(input);
        // A server ends when its input ends, so its input stays open.
        let open = words[0] != "-e";
        if !open {
            pipe.write_all(b"1000").unwrap();
        }
        let kept = open.then_some(pipe);
        assert_eq!(interrupted(command, signal).code, Some(code));
        drop(kept);
    }
}

#[test]
fn servers_answer_that_a_call_was_interrupted() {
    let folder = endless();
    folder.run(&["build", "p.fut", "--server"]).succeeds();
    folder.write("n", "1000i64");
    let mut server = Command::new(folder.path("p"));
    server.current_dir(folder.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut answer = || {
        let lines = output.by_ref().take_while(|line| line != "%%% OK");
        lines.filter(|line| !line.starts_with("runtime: ")).collect::<Vec<_>>()
    };
    let kill = |signal| {
        std::thread::sleep(Duration::from_millis(300));
        // SAFETY: the process is our child and has not been waited for.
        unsafe { libc::kill(server.id() as libc::pid_t, signal) };
        Instant::now()
    };
    assert!(answer().is_empty());
    writeln!(input, "restore n n i64").unwrap();
    assert!(answer().is_empty());
    for entry in ["lanes", "host", "tasks"] {
        writeln!(input, "call {entry} out n").unwrap();
        let start = kill(libc::SIGINT);
        assert_eq!(answer(), ["%%% FAILURE", "interrupted"], "{entry}");
        assert!(start.elapsed() < SOON);
        // The server goes on, with its variables unchanged.
        writeln!(input, "call short {entry} n").unwrap();
        assert!(answer().is_empty());
    }
    writeln!(input, "call lanes out n").unwrap();
    kill(libc::SIGTERM);
    assert_eq!(answer(), ["%%% FAILURE", "interrupted"]);
    assert_eq!(server.wait().unwrap().code(), Some(143));
}

#[test]
fn runs_on_devices_end_between_launches() {
    let folder = endless();
    for device in devices() {
        let words = ["run", "p.fut", "-e", "kernels", "1000", "--device", device];
        interrupted(folder.command(&words), libc::SIGINT).fails(130, &["interrupted"]);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let folder = Folder::with("entry main (n: i64) = iota n");
    let mut child = folder.command(&["run", "p.fut", "1000000"]).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut some = [0; 10];
    output.read_exact(&mut some).unwrap();
    drop(output);
    let ran = ended(child);
    assert_eq!(ran.errors, "");
    ran.fails(1, &[]);
}

#[test]
fn nobody_reading_at_all_is_no_crash() {
    let folder = Folder::with("entry main (n: i64) = iota n");
    for words in [&["run", "p.fut", "10"][..], &["dev", "p.fut"], &["test", "p.fut"], &["--help"]] {
        let mut child = folder.command(words).spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stderr.take());
        assert!(child.wait().unwrap().code().is_some());
    }
}
