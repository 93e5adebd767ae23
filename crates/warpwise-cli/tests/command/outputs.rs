//! Outputs are complete or absent, and a failed write is never taken for a success.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{Folder, Ran, ended, npy};

const PROGRAM: &str = "
entry main (n: i64) : [n]f64 = map f64.i64 (iota n)
entry twice [n] (xs: [n]f64) : ([n]f64, [n]f64) = (xs, map (* 2) xs)
entry same [n] (xs: [n]f64) : [n]f64 = map (* 1) xs
entry slow [n] (xs: [n]f64) : [n]f64 = map (\\x -> loop y = x for _i < 200000 do y * 0.5 + 0.25) xs
entry rows [a][b] (xs: [a][b]f64) : [a]f64 = map f64.sum xs
";

/// Returns a folder with the compiled program and a file of numbers.
fn folder() -> Folder {
    let folder = Folder::with(PROGRAM);
    let numbers: Vec<u8> = (0..1000).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    folder.write("xs.npy", npy("<f8", "(1000,)", &numbers));
    folder.write("xs.raw", numbers);
    folder.run(&["run", "p.fut", "1"]).succeeds();
    folder.run(&["stream", "p.fut", "-e", "same", "-i", "xs.raw", "-o", "-"]).succeeds();
    folder
}

/// Runs a shell command line in which `$W` is the command.
fn shell(folder: &Folder, line: &str) -> Ran {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder.path("")).env("W", env!("CARGO_BIN_EXE_warpwise"));
    shell.env("XDG_CACHE_HOME", folder.path("cache")).env("TMPDIR", folder.path(""));
    ended(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Returns the names of the files in a folder, without those that the tests create.
fn names(folder: &Folder) -> Vec<String> {
    let names = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with("xs.") && name != "cache").collect();
    names.sort();
    names
}

#[test]
fn endings_tell_formats() {
    let folder = Folder::with(
        "entry main (n: i64) = (iota n, map f64.i64 (iota n))
entry picture (n: i64) : [n][n][3]u8 = tabulate_2d n n (\\i j -> [u8.i64 i, u8.i64 j, 0])
entry grid (n: i64) : [n][n]i64 = tabulate_2d n n (\\i j -> i - j)
entry one (n: i64) = n",
    );
    let written = |words: &[&str], name: &str| {
        folder.run(&[&["run", "p.fut"], words, &["-o", name]].concat()).succeeds();
        fs::read(folder.path(name)).unwrap()
    };
    assert_eq!(written(&["3"], "a.csv"), b"0,0\n1,1\n2,2\n");
    assert_eq!(written(&["-e", "grid", "2"], "a.tsv"), b"0\t-1\n1\t0\n");
    assert_eq!(written(&["-e", "one", "2"], "a.txt"), b"2i64\n");
    let archive = written(&["2"], "a.npz");
    assert!(archive.starts_with(b"PK"), "{archive:?}");
    let contains = |part: &[u8]| archive.windows(part.len()).any(|window| window == part);
    assert!(contains(b"arr_0.npy") && contains(b"arr_1.npy") && contains(b"\x93NUMPY"));
    let picture = written(&["-e", "picture", "16"], "a.jpg");
    assert!(picture.starts_with(b"\xff\xd8\xff") && picture.ends_with(b"\xff\xd9"));
    for (words, name, said) in [
        (&["3"][..], "a.xyz", "a.xyz: what format is `.xyz`? The endings known are .txt"),
        (&["3"], "a.jpg", "such a file holds one value, but the entry point `main` gives 2"),
        (
            &["-e", "grid", "2"],
            "b.jpg",
            "an image is [h][w]u8, [h][w][3]u8, [h][w][4]u8, or as many u16, not [2][2]i64",
        ),
        (&["-e", "one", "2"], "b.csv", "the columns of a table are vectors and matrices, not i64"),
    ] {
        folder.run(&[&["run", "p.fut"], words, &["-o", name]].concat()).fails(1, &[said]);
    }
    // With --binary the name of a file does not tell its format.
    folder.run(&["run", "p.fut", "3", "--binary", "-o", "a.xyz"]).succeeds();
}

#[test]
fn a_stream_that_fails_at_once_leaves_no_file() {
    let folder = Folder::with("entry main (xs: []i32) = map (10 /) xs");
    folder.write("xs.csv", "x\n0\n");
    folder
        .run(&["stream", "p.fut", "-i", "xs.csv", "-o", "ys.npy"])
        .fails(1, &["element 0: p.fut:1:", "division by zero"]);
    assert_eq!(names(&folder), ["p.fut"], "nothing is left over");
}

#[test]
fn results_that_do_not_fit_leave_what_was_there() {
    let folder = folder();
    for name in ["out.npy", "out.bin", "out.txt"] {
        folder.write(name, "before");
        let line = format!("ulimit -f 16; exec $W run p.fut 100000 -o {name}");
        shell(&folder, &line).fails(1, &[&format!("{name}: cannot write")]);
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "before");
        fs::remove_file(folder.path(name)).unwrap();
        shell(&folder, &line).fails(1, &["cannot write"]);
        assert_eq!(names(&folder), ["p.fut"], "nothing is left over");
    }
    // If one of two results cannot be written, neither gets its name.
    let line = "exec $W run p.fut -e twice xs.npy -o a.npy -o no/folder/b.npy";
    shell(&folder, line).fails(1, &["no/folder/b.npy: cannot write"]);
    assert_eq!(names(&folder), ["p.fut"]);
    folder.run(&["run", "p.fut", "-e", "twice", "xs.npy", "-o", "a.npy", "-o", "b.npy"]).succeeds();
    assert_eq!(names(&folder), ["a.npy", "b.npy", "p.fut"]);
}

#[test]
fn programs_that_cannot_be_built_leave_what_was_there() {
    let folder = Folder::with("entry main (x: i32) = x + 1");
    for name in ["q", "libq.so", "libq.a", "q.h", "q.json", "q.c"] {
        folder.write(name, "before");
    }
    let before = names(&folder);
    for option in ["", "--server", "--library"] {
        let line = format!("ulimit -f 64; exec $W build p.fut -o q {option}");
        assert_ne!(shell(&folder, &line).code, Some(0));
        for name in ["q", "libq.so", "libq.a", "q.h", "q.json", "q.c"] {
            assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "before", "{name} {option}");
        }
        assert_eq!(names(&folder), before);
    }
    // With a folder in the place of the last file, the files before it stay unchanged.
    fs::remove_file(folder.path("q.c")).unwrap();
    fs::create_dir(folder.path("q.c")).unwrap();
    folder.run(&["build", "p.fut", "-o", "q", "--library"]).fails(1, &["q.c: cannot write"]);
    assert_eq!(fs::read_to_string(folder.path("q.h")).unwrap(), "before");
    folder.run(&["build", "p.fut", "-o", "q"]).succeeds();
    assert_eq!(folder.execute("q", &[], b"3").succeeds(), "4i32\n");
    folder.write("q.fut", "entry main (x: i32) = x + 2");
    fs::hard_link(folder.path("q.fut"), folder.path("linked")).unwrap();
    folder.run(&["build", "q.fut", "-o", "./q.fut"]).fails(1, &["this is the program itself"]);
    folder.run(&["build", "q.fut", "-o", "linked"]).fails(1, &["this is the program itself"]);
}

#[test]
fn no_file_is_two_results_or_is_read_and_written() {
    let folder = folder();
    fs::hard_link(folder.path("xs.npy"), folder.path("xs.linked.npy")).unwrap();
    fs::create_dir(folder.path("sub")).unwrap();
    let run = ["run", "p.fut", "-e"];
    let stream = ["stream", "p.fut", "-e"];
    let twice = "is named for two results";
    let both = "is both read and written";
    for (words, message) in [
        (&[&run[..], &["twice", "xs.npy", "-o", "a.npy", "-o", "a.npy"]].concat(), twice),
        (&[&run[..], &["twice", "xs.npy", "-o", "a.npy", "-o", "sub/../a.npy"]].concat(), twice),
        (&[&run[..], &["same", "xs.npy", "-o", "xs.npy"]].concat(), both),
        (&[&run[..], &["same", "xs.npy", "-o", "xs.linked.npy"]].concat(), both),
        (&[&run[..], &["same", "xs.npy", "-o", "p.fut"]].concat(), both),
        (&[&stream[..], &["twice", "-i", "xs.raw", "-o", "a.npy", "-o", "./a.npy"]].concat(), twice),
        (&[&stream[..], &["twice", "-i", "xs.raw", "-o", "a.raw", "-o", "a.raw.partial"]].concat(), twice),
        (&[&stream[..], &["same", "-i", "xs.npy", "-o", "xs.linked.npy"]].concat(), both),
        (&[&stream[..], &["same", "-i", "xs.raw", "-o", "p.fut", "--output-format", "raw"]].concat(), both),
    ] {
        folder.run(words).fails(1, &[message]);
    }
    // The partial output of an earlier stream cannot be the input of its own continuation.
    fs::copy(folder.path("xs.raw"), folder.path("a.raw.partial")).unwrap();
    folder
        .run(
            &[&stream[..], &["same", "-i", "a.raw.partial", "--input-format", "raw", "-o", "a.raw"]].concat(),
        )
        .fails(1, &[both]);
    assert_eq!(fs::read(folder.path("a.raw.partial")).unwrap(), fs::read(folder.path("xs.raw")).unwrap());
    // A device may be named for several outputs.
    folder.run(&[&run[..], &["twice", "xs.npy", "-o", "/dev/null", "-o", "/dev/null"]].concat()).succeeds();
}

#[test]
fn of_two_streams_to_one_output_the_second_is_told() {
    let folder = folder();
    let numbers: Vec<u8> = (0..2_000_000).flat_map(|x| f64::from(x).to_le_bytes()).collect();
    folder.write("xs.raw", numbers);
    let words = ["stream", "p.fut", "-e", "slow", "-i", "xs.raw", "--block", "1000", "-o", "ys.raw"];
    let mut first = folder.command(&words).spawn().unwrap();
    while !fs::metadata(folder.path("ys.raw.partial")).is_ok_and(|file| file.len() > 0) {
        assert!(first.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    folder.run(&words).fails(1, &["ys.raw.partial: another process is writing this"]);
    assert!(first.try_wait().unwrap().is_none(), "the first goes on");
    // SAFETY: the process is our child and has not been waited for.
    unsafe { libc::kill(first.id() as libc::pid_t, libc::SIGINT) };
    ended(first).fails(130, &["ys.raw.partial"]);
    // Its partial file no longer belongs to any process.
    let words = ["stream", "p.fut", "-e", "same", "-i", "xs.npy", "-o", "ys.raw"];
    folder.run(&words).succeeds();
    assert_eq!(fs::metadata(folder.path("ys.raw")).unwrap().len(), 8000);
    assert!(!folder.path("ys.raw.partial").exists());
}

#[test]
fn a_link_in_the_place_of_what_is_not_whole_is_not_followed() {
    let folder = folder();
    folder.write("precious", "before");
    let words = ["stream", "p.fut", "-e", "same", "-i", "xs.raw", "-o", "ys.raw"];
    std::os::unix::fs::symlink("precious", folder.path("ys.raw.partial")).unwrap();
    folder.run(&words).fails(1, &["ys.raw.partial: is a link"]);
    fs::remove_file(folder.path("ys.raw.partial")).unwrap();
    fs::hard_link(folder.path("precious"), folder.path("ys.raw.partial")).unwrap();
    folder.run(&words).fails(1, &["ys.raw.partial: is in use"]);
    fs::remove_file(folder.path("ys.raw.partial")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("ys.raw.partial")).status().unwrap().success());
    folder.run(&words).fails(1, &["ys.raw.partial: "]);
    assert_eq!(fs::read_to_string(folder.path("precious")).unwrap(), "before");
    assert!(!folder.path("ys.raw").exists());
}

#[test]
fn lines_that_do_not_fit_are_whole() {
    let folder = folder();
    for (ending, separator) in [("csv", ','), ("tsv", '\t')] {
        let line = format!("ulimit -f 7; exec $W stream p.fut -e same -i big.raw -o a.{ending}");
        let numbers: Vec<u8> = (0..20_000).flat_map(|x| (f64::from(x) / 3.0).to_le_bytes()).collect();
        folder.write("big.raw", numbers);
        let partial = format!("a.{ending}.partial");
        shell(&folder, &line).fails(1, &["File too large", &partial]);
        let text = fs::read_to_string(folder.path(&partial)).unwrap();
        assert!(text.ends_with('\n') && text.len() <= 7 * 1024 && !text.contains(separator));
        for (number, line) in text.lines().enumerate() {
            assert_eq!(line.parse::<f64>().unwrap(), number as f64 / 3.0);
        }
        assert!(!folder.path(&format!("a.{ending}")).exists());
    }
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = folder();
    let closed = "cannot write to standard output";
    for line in [
        "exec $W run p.fut 3 >&-",
        "exec $W stream p.fut -e same -i xs.raw >&-",
        "exec $W dev p.fut >&-",
        "exec $W test p.fut >&-",
        "exec $W run h.mc >&-",
        "exec $W run p.fut 3 >/dev/full",
        "exec $W run h.mc >/dev/full",
    ] {
        folder.write("h.mc", "mexpr print \"one\\n\"");
        let ran = shell(&folder, line);
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.errors);
        assert!(
            ran.errors.contains(closed) || ran.errors.contains("standard output is closed"),
            "{line}: {}",
            ran.errors
        );
    }
    for line in ["exec $W --version >&-", "exec $W --help >/dev/full"] {
        assert_eq!(shell(&folder, line).code, Some(1), "{line}");
    }
    // A command that writes nothing needs no standard output.
    shell(&folder, "exec $W run p.fut 3 -o out.npy >&-").succeeds();
    shell(&folder, "exec $W check p.fut >&-").succeeds();
    folder.run(&["build", "p.fut"]).succeeds();
    shell(&folder, "echo 3 | ./p >&-").fails(1, &[closed]);
    shell(&folder, "echo 3 | ./p >/dev/full").fails(1, &[closed]);
    shell(&folder, "echo 3 | ./p -n >&-").succeeds();
}

#[test]
fn rows_without_bytes_do_not_fill_the_disk() {
    let folder = folder();
    folder.write("rows.npy", npy("<f8", "(4611686018427387904, 0)", &[]));
    let stream = ["stream", "p.fut", "-e", "rows", "-i", "rows.npy", "-o", "out.npy"];
    folder.run(&stream).fails(1, &["rows.npy: ", "have no bytes"]);
    let run = ["run", "p.fut", "-e", "rows", "rows.npy", "-o", "out.npy"];
    assert_eq!(folder.run(&run).code, Some(1));
    folder.write("rows.npy", npy("<f8", "(5, 0)", &[]));
    folder.run(&stream).succeeds();
    assert_eq!(
        folder.run(&["run", "p.fut", "-e", "same", "out.npy"]).succeeds(),
        "[0.0f64, 0.0f64, 0.0f64, 0.0f64, 0.0f64]\n"
    );
}
