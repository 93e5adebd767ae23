//! Tests of `warpwise stream`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::common::Folder;

const PROGRAM: &str = "
entry scale [n] (k: i32) (xs: [n]i32) : [n]i32 = map (* k) xs
entry add [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys
entry init : i64 = 0
entry step [n] (xs: [n]i32) (s: i64) : i64 = s + i64.sum (map i64.i32 xs)
entry merge (s: i64) (t: i64) : i64 = s + t
";

fn folder() -> Folder {
    let folder = Folder::with(PROGRAM);
    let raw: Vec<u8> = (0..100_000_i32).flat_map(i32::to_le_bytes).collect();
    folder.write("xs.raw", raw);
    folder.write("t.csv", "x,y\n1,10\n2,20\n3,30\n");
    folder
}

#[test]
fn a_file_is_mapped_by_any_blocks() {
    let folder = folder();
    let expected: Vec<u8> = (0..100_000_i32).flat_map(|x| (3 * x).to_le_bytes()).collect();
    for option in ["--block=1000", "--elementwise", "--block=99999999"] {
        let words = ["stream", "p.fut", "-e", "scale", "3", "-i", "xs.raw", "-o", "ys.raw", option];
        folder.run(&words).succeeds();
        assert_eq!(std::fs::read(folder.path("ys.raw")).unwrap(), expected, "{option}");
    }
}

/// Runs a stream and writes each line only after the result of the line before has come.
fn answers(options: &[&str], lines: &[&str]) -> Vec<String> {
    let folder = folder();
    let words =
        [&["stream", "p.fut", "-e", "scale", "3", "-i", "-", "--input-format", "csv"], options].concat();
    let mut child = folder
        .command(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut answer = || {
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        line.trim_end().to_string()
    };
    let ask = |line: &&str| {
        input.write_all(line.as_bytes()).expect("somebody reads");
        answer()
    };
    let answers = lines.iter().map(ask).collect();
    drop(input);
    assert!(child.wait().expect("it ends").success());
    answers
}

#[test]
fn pipes_are_answered_while_they_are_written() {
    let bare = ["--no-header", "--elementwise"];
    assert_eq!(answers(&bare, &["1\n", "2\n", "-7\r\n", "4\r\n"]), ["3", "6", "-21", "12"]);
    assert_eq!(answers(&["--column", "y", "--elementwise"], &["x,y\n1,2\n", "3,4\n"]), ["6", "12"]);
    // An incomplete block is computed after a time without input.
    assert_eq!(answers(&["--no-header"], &["1\n", "2\n"]), ["3", "6"]);
    assert_eq!(answers(&["--no-header", "--block=1000", "--patience=1"], &["1\n", "2\n"]), ["3", "6"]);
    // Complete blocks are computed at once; two lines make one.
    assert_eq!(answers(&["--no-header", "--block=2"], &["1\n2\n", "3\n"]), ["3", "6"]);
}

#[test]
fn tables_are_read_as_people_write_them() {
    let folder = folder();
    folder.write("g.csv", "a;gr\u{f6}\u{df}e\r\n1;2\r\n\r\n#no\r\n3;\r\n");
    let words = ["stream", "p.fut", "-e", "scale", "3", "-i", "g.csv", "--column", "gr\u{f6}\u{df}e"];
    let style = ["--delimiter", ";", "--comment", "#", "--missing", "-1", "--encoding", "utf-8"];
    assert_eq!(folder.run(&[&words[..], &style].concat()).succeeds(), "6\n-3\n");
    folder.run(&[&words[..], &style[..4]].concat()).fails(1, &["g.csv: element 1: line 5: a cell is empty"]);
    let ran =
        folder.run(&["stream", "p.fut", "-e", "scale", "3", "-i", "t.csv", "--column", "0", "--no-header"]);
    ran.fails(1, &["t.csv: element 0: line 1: `x` is no i32"]);
    folder.write("n.csv", "1\n\n2\n");
    let ran = folder.run(&["stream", "p.fut", "-e", "scale", "3", "-i", "n.csv"]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "6\n");
    let said = ["note: n.csv: the first line, `1`, is taken for the names", "note: n.csv: line 2 is blank"];
    assert!(said.iter().all(|said| ran.errors.contains(said)), "{}", ran.errors);
    folder
        .run(&["stream", "p.fut", "-e", "scale", "3", "-i", "n.csv", "--encoding", "x"])
        .fails(1, &["latin1"]);
}

#[test]
fn columns_of_one_table_go_to_several_parameters() {
    let words = ["stream", "p.fut", "-e", "add", "-i", "t.csv", "--column", "x", "--column", "y"];
    let ran = folder().run(&words);
    assert_eq!(String::from_utf8_lossy(&ran.output), "11\n22\n33\n", "{}", ran.errors);
}

#[test]
fn folds_give_the_state_also_of_standard_input() {
    let folder = folder();
    let ran = folder.run(&["stream", "p.fut", "--fold", "-i", "xs.raw", "--block", "64"]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "4999950000i64\n", "{}", ran.errors);
    let words = ["stream", "p.fut", "--fold", "-i", "-", "--input-format", "raw", "--take", "2"];
    let ran = folder.run_with(&words, &[1, 0, 0, 0, 2, 0, 0, 0, 9, 9]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "3i64\n", "{}", ran.errors);
}

#[test]
fn a_failing_check_names_the_element() {
    let folder = Folder::with(
        "
entry main (xs: []i32) = map (\\x -> 100 / (x - 70000)) xs
entry init : i32 = 0
entry step (xs: []i32) (s: i32) = s + i32.sum (map (\\x -> 100 / (x - 70000)) xs)
entry merge (s: i32) (t: i32) = s + t",
    );
    folder.write("xs.raw", (0..100_000_i32).flat_map(i32::to_le_bytes).collect::<Vec<u8>>());
    for options in [&["-o", "ys.raw"][..], &["-o", "ys.raw", "--elementwise"], &["--block=999", "--fold"]] {
        let words = [&["stream", "p.fut", "-i", "xs.raw"], options].concat();
        folder.run(&words).fails(1, &["element 70000: p.fut:", "division by zero"]);
    }
}

#[test]
fn what_is_wrong_names_the_element_and_keeps_the_rest() {
    let folder = folder();
    folder.write("cut.raw", [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    let words = ["stream", "p.fut", "-e", "scale", "5", "-i", "cut.raw", "-o", "-"];
    let ran = folder.run(&words);
    assert_eq!(String::from_utf8_lossy(&ran.output), "5\n10\n");
    ran.fails(1, &["cut.raw: element 2: the input ends here"]);
    let refused = |words: &[&str], text: &str| {
        folder.run(&[&["stream", "p.fut"], words].concat()).fails(1, &[text]);
    };
    refused(&["-e", "scale", "-i", "xs.raw"], "takes 2 values");
    refused(&["-e", "scale", "1", "-i", "t.csv"], "which column");
    refused(&["-e", "scale", "1", "-i", "xs.raw", "-o", "xs.raw"], "both read and written");
    #[cfg(target_os = "linux")]
    refused(
        &["-e", "scale", "1", "-i", "xs.raw", "-o", "/dev/full", "--output-format", "raw"],
        "No space left",
    );
}

#[test]
fn tables_with_named_columns_go_in_and_out() {
    let folder = folder();
    let ran = |words: &[&str]| folder.run(&[&["stream", "p.fut"], words].concat()).succeeds();
    ran(&["-e", "scale", "2", "-i", "xs.raw", "-o", "a.parquet"]);
    ran(&["-e", "scale", "2", "-i", "a.parquet", "--column", "value", "-o", "b.arrow"]);
    ran(&["-e", "add", "-i", "a.parquet", "-i", "b.arrow", "-o", "c.raw"]);
    let expected: Vec<u8> = (0..100_000_i32).flat_map(|x| (6 * x).to_le_bytes()).collect();
    assert_eq!(std::fs::read(folder.path("c.raw")).unwrap(), expected);
}

#[test]
fn an_output_has_its_name_only_when_it_is_whole() {
    let folder = folder();
    folder.write("cut.raw", [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    folder.write("out.npy", "from before");
    let words = ["stream", "p.fut", "-e", "scale", "5", "-i", "cut.raw", "-o", "out.npy"];
    folder.run(&words).fails(1, &["element 2", "what was computed before is in", "out.npy.partial"]);
    assert_eq!(std::fs::read(folder.path("out.npy")).unwrap(), b"from before");
    let kept = std::fs::read(folder.path("out.npy.partial")).unwrap();
    assert_eq!(kept[kept.len() - 8..], [5, 0, 0, 0, 10, 0, 0, 0]);
    folder.write("cut.raw", [1, 0, 0, 0]);
    folder.run(&words).succeeds();
    assert!(std::fs::read(folder.path("out.npy")).unwrap().ends_with(&[5, 0, 0, 0]));
    assert!(!folder.path("out.npy.partial").exists());
}

#[cfg(unix)]
#[test]
fn whoever_stops_reading_ends_the_stream() {
    use std::io::Read;
    let folder = folder();
    let words =
        ["stream", "p.fut", "-e", "scale", "1", "-i", "/dev/zero", "--input-format", "raw", "-o", "-"];
    let mut child = folder.command(&words).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut start = [0; 4];
    output.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"0\n0\n");
    drop(output);
    let ran = crate::common::ended(child);
    assert_eq!((ran.code, ran.errors.as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_interrupted_does_not_pass_as_whole() {
    let folder = folder();
    let words =
        ["stream", "p.fut", "-e", "scale", "1", "-i", "/dev/zero", "--input-format", "raw", "-o", "out.csv"];
    let child = folder.command(&words).spawn().unwrap();
    let partial = folder.path("out.csv.partial");
    while std::fs::metadata(&partial).map_or(0, |metadata| metadata.len()) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // SAFETY: a signal to a child that has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    crate::common::ended(child).fails(130, &["interrupted", "out.csv.partial"]);
    assert!(!folder.path("out.csv").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_fails_as_on_a_full_disk_and_the_rest_is_kept() {
    use std::os::unix::process::CommandExt;
    let folder = folder();
    let words = |output: &'static str| {
        ["stream", "p.fut", "-e", "scale", "1", "-i", "xs.raw", "--block", "1000", "-o", output]
    };
    folder.run(&words("warm.raw")).succeeds();
    for output in ["ys.raw", "ys.npy", "ys.bin", "ys.csv", "ys.arrow", "ys.parquet"] {
        let mut command = folder.command(&words(output));
        // SAFETY: setrlimit may be called between fork and exec.
        unsafe {
            command.pre_exec(|| {
                let limit = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
                match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let said = crate::common::ended(command.spawn().unwrap()).fails(1, &[output, "File too large"]);
        assert!(said.contains(".partial"), "{said}");
        assert!(!folder.path(output).exists(), "{output}");
    }
    // The partial file is valid in formats without data after the elements.
    for output in ["ys.npy", "ys.bin"] {
        std::fs::rename(folder.path(&format!("{output}.partial")), folder.path(output)).unwrap();
        folder.run(&["stream", "p.fut", "-e", "scale", "1", "-i", output, "-o", "again.raw"]).succeeds();
        let again = std::fs::read(folder.path("again.raw")).unwrap();
        let expected: Vec<u8> = (0..again.len() as i32 / 4).flat_map(i32::to_le_bytes).collect();
        assert!(again.len() > 50_000 && again == expected, "{output}");
    }
}

/// Runs a command. Returns the largest observed amount of its anonymous memory, in bytes.
#[cfg(target_os = "linux")]
fn peak_anonymous(folder: &Folder, words: &[&str]) -> u64 {
    let mut child = folder.command(words).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    let ran = crate::common::ended(child);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_holds_for_the_whole_process() {
    let folder = folder();
    // The file is sparse, so that it costs nothing to create.
    let file = std::fs::File::create(folder.path("large.raw")).unwrap();
    file.set_len(1 << 29).unwrap();
    let compiled =
        ["stream", "p.fut", "-e", "scale", "3", "-i", "xs.raw", "-o", "/dev/null", "--output-format", "raw"];
    folder.run(&compiled).succeeds();
    for option in ["--no-mmap", "--block=1048576", "--elementwise"] {
        let limit = 128 << 20;
        let words = [
            "stream",
            "p.fut",
            "-e",
            "scale",
            "3",
            "-i",
            "large.raw",
            "-o",
            "/dev/null",
            "--output-format",
            "raw",
            "--memory-limit=128M",
            option,
        ];
        let peak = peak_anonymous(&folder, &words);
        assert!(peak > 0 && peak <= limit + limit / 10, "{option}: {peak} bytes");
    }
}
