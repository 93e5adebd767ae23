//! Ctrl-C, and readers that go away.
#![cfg(unix)]

use std::io::Read;
use std::time::{Duration, Instant};

use crate::common::{Folder, ended};

#[test]
fn ctrl_c_stops_a_run_at_the_next_task() {
    let program = "entry main (n: i64) = loop xs = iota n for _i < 1000000000 do map (\\x -> x * 3 + 1) xs";
    let folder = Folder::with(program);
    let child = folder.command(&["run", "p.fut", "1000000"]).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let start = Instant::now();
    // SAFETY: the process is our child and has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    ended(child).fails(130, &["interrupted"]);
    assert!(start.elapsed() < Duration::from_secs(10));
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
