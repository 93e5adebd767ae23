//! Programs on devices: the effects and the error messages of `--device`. The devices are PoCL in the project's own tests, which
//! `WARPWISE_SKIP_OPENCL` leaves out, visibly, and the emulator of CUDA.

use std::io::Write;

use crate::common::{Folder, ended, tests_all};

const PROGRAM: &str = "entry main [n] (xs: [n]i32) : ([]i32, i32) =
  let ys = filter (> 3) (scan (+) 0 xs) in (ys, i32.sum ys)
entry at [n] (xs: [n]i32) (is: []i64) : []i32 = map (\\i -> xs[i]) is
entry large (n: i64) : i32 = i32.sum (scan (+) 0 (map i32.i64 (iota n)))
entry own (n: i64) (k: i64) : []i64 =
  map (\\i -> let row = loop row = replicate k i for j in 1..<k do row with [j] = row[j - 1] + j
             in row[k - 1]) (iota n)";

/// Returns the names of the devices to run on.
pub fn devices() -> Vec<&'static str> {
    has_device().then_some("opencl").into_iter().chain(["cuda"]).collect()
}

/// Returns whether there is an OpenCL device to run on.
pub fn has_device() -> bool {
    let skipped = std::env::var_os("WARPWISE_SKIP_OPENCL").is_some();
    if skipped {
        // The line is not printed by a macro, because the test runner would capture it.
        let _ = writeln!(std::io::stderr(), "skipped: a test on an OpenCL device");
    }
    !skipped
}

#[test]
fn devices_are_listed_as_they_are_named() {
    let listed = Folder::new().run(&["devices"]).succeeds();
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some("cpu"));
    for device in devices() {
        let start = format!("{device}:0 ");
        assert!(lines.next().is_some_and(|line| line.starts_with(&start)), "{listed}");
    }
}

#[test]
fn results_are_those_of_the_processor() {
    let folder = Folder::with(PROGRAM);
    for arguments in [vec!["[1, 2, 3, -5, 9]"], vec!["empty([0]i32)"], vec!["-e", "own", "5", "1000"]] {
        let here = folder.run(&[vec!["run", "p.fut"], arguments.clone()].concat()).succeeds();
        // In the second round the driver's binary of the kernels is in the cache.
        for device in devices().repeat(2) {
            let there = [vec!["run", "p.fut", "--device", device], arguments.clone()].concat();
            assert_eq!(folder.run(&there).succeeds(), here);
        }
    }
}

#[test]
fn failing_checks_say_the_same_on_a_device() {
    let folder = Folder::with(PROGRAM);
    let words = ["run", "p.fut", "-e", "at", "[1, 2, 3]", "[0, 2, 7, -1, 9]"];
    let here = folder.run(&words).fails(1, &["p.fut:3:", "Index [7] out of bounds"]);
    for device in devices() {
        let there = folder.run(&[&words[..], &[&format!("--device={device}:0")]].concat());
        assert_eq!(there.fails(1, &["Index [7] out of bounds"]), here);
    }
}

#[test]
fn kernels_rely_on_nothing_that_a_failed_one_has_left() {
    let folder = Folder::with(
        "def shuffled (n: i64) = map (\\i -> (i * 7) % n) (iota n)
entry one (n: i64) (bad: i64) : i64 =
  let xs = shuffled n
  let js = map (\\i -> xs[i]) (map (\\i -> if i == bad then 1000000000 else i) (scatter (replicate n 0) (iota n) xs))
  let ks = scatter (replicate n 0) js xs
  in i64.sum (map (\\k -> xs[ks[(k + 7990) % n]]) (iota n)) + js[3]
entry other (n: i64) (m: i64) (bad: i64) : i64 =
  let ys = map (\\i -> if i > n then (iota m)[i] else i) (iota m)
  in one n bad + ys[0]",
    );
    // With so many iterations, a work-item of a large device runs four; and launches alternate in recording failures.
    for bad in ["17", "8000", "15000", "23456", "39999"] {
        for arguments in [vec!["one", "40000", bad], vec!["other", "40000", "20000", bad]] {
            let words = [vec!["run", "p.fut", "-e"], arguments].concat();
            let here = folder.run(&words).fails(1, &["Index [1000000000] out of bounds"]);
            for device in devices() {
                let there = folder.run(&[&words[..], &["--device", device]].concat());
                assert_eq!(there.fails(1, &["Index [1000000000] out of bounds"]), here);
            }
        }
    }
}

#[test]
fn what_work_items_take_lies_where_a_device_wants_it() {
    let folder = Folder::with(
        "entry main (n: i64) (k: i64) : []i64 =
  let rows = tabulate_2d n 8 (\\i j -> i ^ j)
  in map (\\row -> let q = loop r = row for i < (row[0] & 3) + k do map (\\x -> x + r[(x ^ i) & 7]) r in q[3]) rows",
    );
    // Slots that were simply an equal share of the bytes would not be aligned.
    for rows in ["3", "301", "3500"] {
        let words = ["run", "p.fut", rows, "2"];
        let here = folder.run(&words).succeeds();
        for device in devices() {
            assert_eq!(folder.run(&[&words[..], &["--device", device]].concat()).succeeds(), here);
        }
    }
}

#[test]
fn a_work_item_without_memory_gives_its_lock_back() {
    let folder = Folder::with(
        "entry main (m: i64) : [16]i64 =
  let op (a: i64) (b: i64) : i64 =
    let ys = loop ys = replicate m (a ^ b) for i < m do ys with [i] = ys[(i * 7 + 3) % m] + i
    in loop r = a + b for i < m do r + ys[(r + i) % m]
  in reduce_by_index (replicate 16 0) op 0 (replicate 100 3) (iota 100)",
    );
    for device in devices() {
        folder.run(&["run", "p.fut", "10", "--device", device]).succeeds();
        let refused = folder.run(&["run", "p.fut", "1000000", "--device", device]);
        refused.fails(1, &["out of memory", "p.fut:5"]);
    }
}

#[test]
fn what_does_not_fit_the_devices_memory_is_an_error() {
    let folder = Folder::with(PROGRAM);
    for device in devices() {
        let limited = ["--device", device, "--memory-limit", "1M"];
        let words = ["run", "p.fut", "-e", "large", "10_000_000"];
        folder.run(&[&words[..], &limited].concat()).fails(1, &["p.fut:4:", "no room for"]);
        let words = ["run", "p.fut", "-e", "own", "3", "10_000_000"];
        folder.run(&[&words[..], &limited].concat()).fails(1, &["p.fut:6:", "no room for"]);
    }
}

/// Returns a program that holds `arrays` arrays at a time. Each is made from the one before, and all are read afterwards, the last first.
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
    let folder = Folder::with(&holding(13));
    let here = folder.run(&["run", "p.fut", "100_000"]).succeeds();
    let figure = |errors: &str, name: &str| -> f64 {
        let line =
            errors.lines().find(|line| line.trim_start().starts_with(name)).expect("a line of the profile");
        line.trim_start()[name.len()..]
            .split_whitespace()
            .next()
            .and_then(|x| x.parse().ok())
            .expect("a figure")
    };
    for device in devices() {
        let words = ["run", "p.fut", "100_000", "--device", device, "--profile"];
        let (wide, narrow) =
            (folder.run(&words), folder.run(&[&words[..], &["--memory-limit", "3M"]].concat()));
        assert!(figure(&wide.errors, "device memory") > 3.0 * 3.145728, "{}", wide.errors);
        assert_eq!(figure(&wide.errors, "evicted"), 0.0);
        assert!(figure(&narrow.errors, "device memory") <= 3.145728, "{}", narrow.errors);
        assert!(figure(&narrow.errors, "written back") > 0.0 && figure(&narrow.errors, "brought back") > 0.0);
        assert_eq!([wide.succeeds(), narrow.succeeds()], [here.clone(), here.clone()]);
    }
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
        command
            .env("OCL_ICD_VENDORS", folder.path("no vendors"))
            .env_remove("OCL_ICD_FILENAMES")
            .env_remove("LD_LIBRARY_PATH");
        ended(command.spawn().expect("the program starts"))
    };
    assert_eq!(without_driver(&["devices"]).succeeds(), "cpu\n");
    assert_eq!(without_driver(&["run", "p.fut", "[4]"]).succeeds(), "[4i32]\n4i32\n");
    let missing = without_driver(&["run", "p.fut", "[4]", "--device", "opencl"]);
    missing.fails(1, &["no OpenCL platform", "pocl-opencl-icd"]);
}

/// Returns a driver that forwards all calls, but reports this error for calls that wait for kernels.
fn failing_driver(folder: &Folder, error: i32) -> std::path::PathBuf {
    let functions = format!(
        "#define _GNU_SOURCE
#include <dlfcn.h>
int clFinish(void *queue) {{ ((int (*)(void *)) dlsym(RTLD_NEXT, \"clFinish\"))(queue); return {error}; }}
int clEnqueueReadBuffer(void *queue) {{ return clFinish(queue); }}
"
    );
    folder.write("driver.c", functions);
    let library = folder.path(&format!("driver{}.so", -error));
    let mut compiler = std::process::Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .arg(&library)
        .arg(folder.path("driver.c"));
    let status = compiler.arg("-l:libOpenCL.so.1").status().expect("a C compiler");
    assert!(status.success());
    library
}

#[test]
fn a_lost_device_is_an_error_that_says_so() {
    let folder = Folder::with(PROGRAM);
    let lost = |driver: &str, setting: &std::ffi::OsStr, device| {
        let mut command = folder.command(&["run", "p.fut", "[1, 2, 3]", "--device", device]);
        command.env(driver, setting);
        ended(command.spawn().expect("the program starts"))
    };
    for launches in ["0", "1"] {
        let ended = lost("EMULATED_CUDA_LAUNCHES", launches.as_ref(), "cuda");
        ended.fails(1, &["the device is lost", "start", "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"]);
    }
    if !has_device() {
        return;
    }
    for (error, name, remedy) in [
        (-2, "CL_DEVICE_NOT_AVAILABLE", "look at the system's log"),
        (-5, "CL_OUT_OF_RESOURCES", "a kernel failed"),
        (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "a kernel failed"),
    ] {
        let ended = lost("OPENCL_DYLIB_PATH", failing_driver(&folder, error).as_ref(), "opencl");
        ended.fails(1, &["the device is lost", "start", name, remedy]);
    }
}

#[test]
fn cuda_devices_are_used_or_missed() {
    let folder = Folder::with(PROGRAM);
    let text = folder.run(&["dev", "p.fut", "--device", "cuda", "--emit", "kernels"]).succeeds();
    assert!(text.contains("__global__") && !text.contains("__kernel"), "{text}");
    folder.run(&["run", "p.fut", "[1]", "--device", "cuda:99"]).fails(1, &["no CUDA device 99"]);
    let without = |variable: &str, words: &[&str]| {
        ended(folder.command(words).env_remove(variable).spawn().expect("the program starts"))
    };
    let words = ["run", "p.fut", "[1, 2]", "--device", "cuda"];
    // On machines with NVIDIA's driver and compiler, these are found.
    if !without("LD_LIBRARY_PATH", &["devices"]).succeeds().contains("cuda:0 ") {
        without("LD_LIBRARY_PATH", &words).fails(1, &["CUDA", "nvidia-smi"]);
        without("WARPWISE_NVRTC", &words).fails(1, &["NVRTC", "nvidia-cuda-nvrtc"]);
        let listed = without("WARPWISE_NVRTC", &["devices"]);
        assert!(listed.errors.contains("nvidia-cuda-nvrtc"), "{}", listed.errors);
        assert!(listed.succeeds().contains("cuda:0 "));
        folder.write("tested.fut", "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = x");
        let tested = without("LD_LIBRARY_PATH", &["test", "tested.fut", "--device", "cuda"]);
        assert!(String::from_utf8_lossy(&tested.output).contains("FAILED: tested.fut: no CUDA driver"));
    }
}

/// Every parallel operation on empty and tiny arrays, with the expected results.
const EMPTIES: &str = include_str!("empties.fut");

#[test]
fn nothing_one_element_and_empty_segments_are_no_special_cases() {
    let folder = Folder::with(EMPTIES);
    for machine in ["cpu"].into_iter().chain(devices()) {
        let said = folder.run(&["test", "p.fut", "--device", machine]);
        assert!(String::from_utf8_lossy(&said.output).contains("0 failed"), "{machine:?}");
        said.succeeds();
    }
}

#[test]
fn one_launch_gives_what_several_do() {
    // Segments that end within tiles and span several; classes with many elements and with none; bins for which local memory has room
    // in three passes.
    let text = "
entry rows (n: i64) (m: i64) = map (scan i64.max (-1000)) (tabulate_2d n m (\\i j -> (i * 7919 + j * 31) % 1009))
entry parts (n: i64) = let (a, b, c) = partition2 (< 300) (< 700) (map (\\i -> i * 7919 % 1009) (iota n)) in (a, b, c)
entry none (n: i64) = filter (< 0) (iota n)
entry bins (n: i64) = reduce_by_index (replicate 9000 5i32) (+) 0i32 (map (\\i -> i * 7919 % 9001) (iota n)) (map i32.i64 (iota n))
";
    let folder = Folder::with(text);
    let calls = [
        &["rows", "300", "37"][..],
        &["parts", "20000"],
        &["bins", "150000"],
        &["rows", "3", "3000"],
        &["parts", "1"],
        &["none", "5000"],
    ];
    for call in calls.into_iter().take(if tests_all() { calls.len() } else { 3 }) {
        let words = [&["run", "p.fut", "-e"][..], call].concat();
        let here = folder.run(&words).succeeds();
        let opencl = [&["--device", "opencl"][..], &["--device", "opencl", "--single-pass"]];
        let opencl = opencl.into_iter().filter(|_| has_device());
        for machine in opencl.chain([&["--device", "cuda"][..]]) {
            let there = folder.run(&[&words[..], machine].concat()).succeeds();
            assert!(there == here, "{call:?} with {machine:?}");
        }
    }
}

#[test]
fn more_elements_than_32_bits_count_are_all_there() {
    let text = "entry main (n: i64) = (i64.sum (map (% 3) (iota n)), i64.maximum (iota n))";
    let folder = Folder::with(text);
    let words = ["run", "p.fut", "2147483649"];
    let here = folder.run(&words).succeeds();
    assert_eq!(here.split_whitespace().collect::<Vec<_>>(), ["2147483649i64", "2147483648i64"]);
    if has_device() {
        assert_eq!(folder.run(&[&words[..], &["--device", "opencl"]].concat()).succeeds(), here);
    }
}

#[test]
fn a_list_of_segments_that_does_not_fit_its_values_is_located() {
    let folder = Folder::with(EMPTIES);
    let words = ["run", "p.fut", "-e", "segments", "[0, 2]", "[2, 2]", "[10, 20, 30]"];
    let here = folder.run(&words).fails(1, &["p.fut:", "out of bounds"]);
    for device in devices() {
        assert_eq!(folder.run(&[&words[..], &["--device", device]].concat()).fails(1, &["p.fut:"]), here);
    }
}

#[test]
fn products_are_the_same_by_tiles_and_by_points() {
    let folder = Folder::with(include_str!("products.fut"));
    let text = folder.run(&["dev", "p.fut", "--device", "cuda", "--emit", "imp"]).succeeds();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut names: Vec<&str> =
        words.filter(|word| word.starts_with("tiles.") || word.starts_with("threads.")).collect();
    names.dedup();
    assert!(names.iter().filter(|name| name.starts_with("tiles.")).count() >= 4, "{names:?}");
    let settings = names.iter().flat_map(|name| ["--param".to_string(), format!("{name}=1")]);
    let settings: Vec<String> = settings.collect();
    // OpenCL's driver takes a minute for these kernels.
    let devices = devices();
    let chosen = if tests_all() { &devices[..] } else { &devices[devices.len() - 1..] };
    for &device in chosen {
        let words = ["test", "p.fut", "--device", device].map(String::from);
        folder.run(&[&words[..], &settings].concat()).succeeds();
    }
    folder.run(&["test", "p.fut", "--device", "cuda"]).succeeds();
}

/// Returns the simulated device `oclgrind` if it is installed, otherwise prints that the test is skipped.
fn simulator() -> Option<&'static str> {
    let places = ["/usr/lib/oclgrind", "/usr/lib64/oclgrind", "/usr/local/lib/oclgrind", "/usr/local/lib"];
    let library = |place: &&str| std::path::Path::new(place).join("liboclgrind-rt-icd.so").exists();
    let found = places.into_iter().find(library).filter(|_| has_device());
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: a test on the simulated device of oclgrind");
    }
    found
}

#[test]
fn kernels_that_local_memory_does_not_hold_are_errors() {
    let Some(place) = simulator() else { return };
    let folder = Folder::with("entry main (xs: []f64) : f64 = f64.sum xs");
    folder.write("vendors/oclgrind.icd", format!("{place}/liboclgrind-rt-icd.so\n"));
    let on = |bytes: &str| {
        let mut command = folder.command(&["run", "p.fut", "[1, 2, 4]", "--device", "opencl"]);
        command.env("OCL_ICD_VENDORS", folder.path("vendors")).env("OCLGRIND_LOCAL_MEM_SIZE", bytes);
        ended(command.spawn().expect("the program starts"))
    };
    assert_eq!(on("32768").succeeds(), "7.0f64\n");
    on("512").fails(1, &["kernel `main_0_reduce` needs 1024 bytes of local memory", "has 512 for a group"]);
}

#[test]
fn profiles_of_devices_have_the_devices_times() {
    let source =
        "entry main (xs: []f32) =\n  let ys = map (\\x ->\n    f32.sqrt x * 2) xs\n  in scan (+) 0 ys";
    let folder = Folder::with(source);
    for device in devices() {
        // OpenCL scans take several launches, CUDA scans use look-back.
        let kernel = if device == "cuda" { "main_0_look_back" } else { "main_2_scan" };
        let words = ["run", "p.fut", "[1f32, 4f32]", "--device", device, "--profile"];
        let ran = folder.run(&[&words[..], &["--profile-trace", "trace.json"]].concat());
        for part in [kernel, "to the device", "to the host", " GB/s", "lines p.fut:"] {
            assert!(ran.errors.contains(part), "{part} in {}", ran.errors);
        }
        assert_eq!(ran.succeeds(), "[2.0f32, 6.0f32]\n");
        let trace = std::fs::read_to_string(folder.path("trace.json")).expect("a trace");
        assert!(trace.contains(kernel) && trace.contains("to the device"), "{trace}");
    }
}

#[test]
fn elements_of_an_array_literal_are_written_together() {
    let folder = Folder::with(
        "entry main (x: i32) (is: []i64) = let a = [1, x, 3, x + 1, 5, x * 2] in map (\\i -> a[i]) is",
    );
    for device in devices() {
        let ran = folder.run(&["run", "p.fut", "3", "[0i64, 3i64, 5i64]", "--device", device, "--profile"]);
        let line =
            ran.errors.lines().find(|line| line.contains("to the device")).expect("a line of the profile");
        // The copies are those of the argument and of the literal.
        assert!(line.contains(" 2 times"), "{line}");
        assert_eq!(ran.succeeds(), "[1i32, 4i32, 6i32]\n");
    }
}
