//! Programs on devices: what `--device` does and what it says where it cannot. The device is PoCL in the project's own
//! tests; `WARPWISE_SKIP_OPENCL` leaves out what needs one, visibly.

use std::io::Write;

use crate::common::{Folder, ended};

const PROGRAM: &str = "entry main [n] (xs: [n]i32) : ([]i32, i32) =
  let ys = filter (> 3) (scan (+) 0 xs) in (ys, i32.sum ys)
entry at [n] (xs: [n]i32) (is: []i64) : []i32 = map (\\i -> xs[i]) is
entry large (n: i64) : i32 = i32.sum (scan (+) 0 (map i32.i64 (iota n)))
entry own (n: i64) (k: i64) : []i64 =
  map (\\i -> let row = loop row = replicate k i for j in 1..<k do row with [j] = row[j - 1] + j
             in row[k - 1]) (iota n)";

/// Whether there is a device to run on.
fn has_device() -> bool {
    let skipped = std::env::var_os("WARPWISE_SKIP_OPENCL").is_some();
    if skipped {
        // Not by a macro: the test runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: a test on an OpenCL device");
    }
    !skipped
}

#[test]
fn devices_are_listed_as_they_are_named() {
    if !has_device() {
        return;
    }
    let listed = Folder::new().run(&["devices"]).succeeds();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("cpu"));
    assert!(lines.next().is_some_and(|line| line.starts_with("opencl:0 ")), "{listed}");
}

#[test]
fn results_are_those_of_the_processor() {
    if !has_device() {
        return;
    }
    let folder = Folder::with(PROGRAM);
    for arguments in [vec!["[1, 2, 3, -5, 9]"], vec!["empty([0]i32)"], vec!["-e", "own", "5", "1000"]] {
        let here = folder.run(&[vec!["run", "p.fut"], arguments.clone()].concat()).succeeds();
        // The second time the driver's own form of the kernels is in the cache.
        for _ in 0..2 {
            let there = [vec!["run", "p.fut", "--device", "opencl"], arguments.clone()].concat();
            assert_eq!(folder.run(&there).succeeds(), here);
        }
    }
}

#[test]
fn failing_checks_say_the_same_on_a_device() {
    if !has_device() {
        return;
    }
    let folder = Folder::with(PROGRAM);
    let words = ["run", "p.fut", "-e", "at", "[1, 2, 3]", "[0, 2, 7, -1, 9]"];
    let here = folder.run(&words).fails(1, &["p.fut:3:", "Index [7] out of bounds"]);
    let there =
        folder.run(&[&words[..], &["--device=opencl:0"]].concat()).fails(1, &["Index [7] out of bounds"]);
    assert_eq!(there, here);
}

#[test]
fn what_does_not_fit_the_devices_memory_is_an_error() {
    if !has_device() {
        return;
    }
    let folder = Folder::with(PROGRAM);
    let words = ["run", "p.fut", "-e", "large", "10_000_000", "--device", "opencl", "--memory-limit"];
    folder.run(&[&words[..], &["1M"]].concat()).fails(1, &["p.fut:4:", "no room for"]);
    let words = ["run", "p.fut", "-e", "own", "3", "10_000_000", "--device", "opencl", "--memory-limit"];
    folder.run(&[&words[..], &["1M"]].concat()).fails(1, &["p.fut:6:", "no room for"]);
}

/// A program that holds so many arrays at a time: each is made of the one before, and all are read afterwards, the last first.
fn holding(arrays: usize) -> String {
    let mut text = "entry main (n: i64) : i64 =\n  let a0 = scan (+) 0 (map (% 7) (iota n))\n".to_string();
    for i in 1..arrays {
        text += &format!("  let a{i} = scan (+) 0 (map (\\x -> x % 11 + {i}) a{})\n", i - 1);
    }
    let last = arrays - 1;
    text += &format!("  let b{last} = scan i64.max 0 a{last}\n");
    for i in (0..last).rev() {
        text += &format!("  let b{i} = scan i64.max 0 (map (\\x -> a{i}[x % n] + x % 13) b{})\n", i + 1);
    }
    text + "  in i64.sum b0\n"
}

#[test]
fn arrays_of_more_than_three_times_the_memory_leave_it_and_come_back() {
    if !has_device() {
        return;
    }
    let folder = Folder::with(&holding(13));
    let here = folder.run(&["run", "p.fut", "100_000"]).succeeds();
    let words = ["run", "p.fut", "100_000", "--device", "opencl", "--profile"];
    let (wide, narrow) = (folder.run(&words), folder.run(&[&words[..], &["--memory-limit", "3M"]].concat()));
    let figure = |errors: &str, name: &str| -> f64 {
        let line =
            errors.lines().find(|line| line.trim_start().starts_with(name)).expect("a line of the profile");
        line.trim_start()[name.len()..]
            .split_whitespace()
            .next()
            .and_then(|x| x.parse().ok())
            .expect("a figure")
    };
    assert!(figure(&wide.errors, "device memory") > 3.0 * 3.145728, "{}", wide.errors);
    assert_eq!(figure(&wide.errors, "evicted"), 0.0);
    assert!(figure(&narrow.errors, "device memory") <= 3.145728, "{}", narrow.errors);
    assert!(figure(&narrow.errors, "written back") > 0.0 && figure(&narrow.errors, "brought back") > 0.0);
    assert_eq!([wide.succeeds(), narrow.succeeds()], [here.clone(), here]);
}

#[test]
fn devices_that_are_not_there_are_errors() {
    let folder = Folder::with(PROGRAM);
    folder.run(&["run", "p.fut", "[1]", "--device", "gpu"]).fails(1, &["opencl:N", "cuda:N"]);
    folder.run(&["run", "p.fut", "[1]", "--device", "opencl:x"]).fails(1, &["`x` is no number"]);
    if has_device() {
        folder.run(&["run", "p.fut", "[1]", "--device", "opencl:99"]).fails(1, &["no OpenCL device 99"]);
    }
}

#[test]
fn without_a_driver_everything_else_works() {
    let folder = Folder::with(PROGRAM);
    let without_driver = |words: &[&str]| {
        let mut command = folder.command(words);
        command.env("OCL_ICD_VENDORS", folder.path("no vendors")).env_remove("OCL_ICD_FILENAMES");
        ended(command.spawn().expect("the program starts"))
    };
    assert_eq!(without_driver(&["devices"]).succeeds(), "cpu\n");
    assert_eq!(without_driver(&["run", "p.fut", "[4]"]).succeeds(), "[4i32]\n4i32\n");
    let missing = without_driver(&["run", "p.fut", "[4]", "--device", "opencl"]);
    missing.fails(1, &["no OpenCL platform", "pocl-opencl-icd"]);
}

#[test]
fn cuda_devices_are_used_or_missed() {
    let folder = Folder::with(PROGRAM);
    let listed = folder.run(&["devices"]);
    let text = folder.run(&["dev", "p.fut", "--device", "cuda", "--emit", "kernels"]).succeeds();
    assert!(text.contains("__global__") && !text.contains("__kernel"), "{text}");
    if listed.succeeds().lines().any(|line| line.starts_with("cuda:0 ")) {
        let here = folder.run(&["run", "p.fut", "[1, 2, 3, -5, 9]"]).succeeds();
        assert_eq!(folder.run(&["run", "p.fut", "[1, 2, 3, -5, 9]", "--device", "cuda"]).succeeds(), here);
        folder.run(&["run", "p.fut", "[1]", "--device", "cuda:99"]).fails(1, &["no CUDA device 99"]);
    } else {
        folder.run(&["run", "p.fut", "[1]", "--device", "cuda"]).fails(1, &["CUDA", "nvidia-smi"]);
    }
}
