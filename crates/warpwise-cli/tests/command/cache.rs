//! Compiled programs on disk: hits, changes, damage, and many processes at once.

use std::path::PathBuf;

use crate::common::{Folder, ended};

const PROGRAM: &str = "import \"lib\"\nentry main (x: i32) = twice x";
const HIT: &str = "was in the cache";

fn folder() -> Folder {
    let folder = Folder::with(PROGRAM);
    folder.write("lib.fut", "def twice (x: i32) = 2 * x");
    folder
}

/// Runs the program. Returns the result, and whether the program came from the cache.
#[track_caller]
fn run(folder: &Folder, words: &[&str]) -> (String, bool) {
    let ran = folder.run(&[&["run", "p.fut", "21", "--verbose"], words].concat());
    let hit = ran.errors.contains(HIT);
    (ran.succeeds(), hit)
}

fn entries(folder: &Folder) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.path("cache/warpwise")).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn the_second_run_compiles_nothing() {
    let folder = folder();
    assert_eq!(run(&folder, &[]), ("42i32\n".to_string(), false));
    assert_eq!(run(&folder, &[]), ("42i32\n".to_string(), true));
    assert_eq!(run(&folder, &["--no-cache"]), ("42i32\n".to_string(), false));
    assert_eq!(run(&folder, &["--cache", "elsewhere"]), ("42i32\n".to_string(), false));
    assert_eq!(run(&folder, &["--cache", "elsewhere"]), ("42i32\n".to_string(), true));
}

#[test]
fn changes_are_noticed() {
    let folder = folder();
    assert!(!run(&folder, &[]).1);
    assert!(!run(&folder, &["--strict-fp"]).1, "other options are another program");
    assert!(!run(&folder, &["--vector-width", "128"]).1);
    folder.write("lib.fut", "def twice (x: i32) = x + x + 1");
    assert_eq!(run(&folder, &[]), ("43i32\n".to_string(), false));
    assert_eq!(run(&folder, &[]), ("43i32\n".to_string(), true));
    std::fs::remove_file(folder.path("lib.fut")).unwrap();
    folder.run(&["run", "p.fut", "21"]).fails(2, &["p.fut:1:8"]);
    folder.write("lib.fut", "def twice (x: i32) = 2 * x");
    folder.write("p.fut", format!("{PROGRAM} + 1"));
    assert_eq!(run(&folder, &[]), ("43i32\n".to_string(), false));
}

#[test]
fn damaged_entries_are_replaced() {
    let folder = folder();
    run(&folder, &[]);
    let [entry] = &entries(&folder)[..] else { panic!("one entry") };
    let whole = std::fs::read(entry).unwrap();
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    for damaged in [&whole[..0], &whole[..20], &whole[..whole.len() / 2], &altered] {
        std::fs::write(entry, damaged).unwrap();
        assert_eq!(run(&folder, &[]), ("42i32\n".to_string(), false));
        assert_eq!(run(&folder, &[]), ("42i32\n".to_string(), true));
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_only_no_cache() {
    let folder = folder();
    folder.write("file", "");
    for cache in ["file", "file/below", "/dev/null/x"] {
        let quiet = folder.run(&["run", "p.fut", "21", "--cache", cache]);
        assert_eq!(quiet.errors, "");
        assert_eq!(quiet.succeeds(), "42i32\n");
        let ran = folder.run(&["run", "p.fut", "21", "--verbose", "--cache", cache]);
        assert!(ran.errors.contains("cannot be kept"), "{}", ran.errors);
        assert_eq!(ran.succeeds(), "42i32\n");
    }
}

#[cfg(unix)]
#[test]
fn what_others_may_write_is_not_run() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let folder = folder();
    run(&folder, &[]);
    let cache = folder.path("cache/warpwise");
    let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set_mode = |path: &PathBuf, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let [entry] = &entries(&folder)[..] else { panic!("one entry") };
    assert_eq!([mode(&cache), mode(entry)], [0o700, 0o600]);
    let refused = |why: &str| {
        let ran = folder.run(&["run", "p.fut", "21"]);
        assert!(ran.errors.contains("warning: ") && ran.errors.contains(why), "{}", ran.errors);
        assert_eq!(ran.succeeds(), "42i32\n");
    };
    set_mode(&cache, 0o1777);
    refused("warpwise: not used: others than its owner may write it");
    set_mode(&cache, 0o700);
    set_mode(entry, 0o666);
    refused(".entry: not used: others than its owner may write it");
    set_mode(entry, 0o600);
    // Only the superuser can give files away.
    if chown(entry, Some(1), None).is_ok() {
        refused("it belongs to another user");
        chown(entry, Some(0), None).unwrap();
    }
    assert!(run(&folder, &[]).1);
    std::fs::remove_file(entry).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(entry).status().unwrap().success());
    refused("it is no regular file");
}

#[test]
fn an_entry_of_another_program_is_not_run() {
    let folder = folder();
    folder.write("q.fut", "entry main (x: i32) = x - 1");
    run(&folder, &[]);
    let [first] = &entries(&folder)[..] else { panic!("one entry") };
    folder.run(&["run", "q.fut", "21"]).succeeds();
    let second = entries(&folder).into_iter().find(|entry| entry != first).unwrap();
    std::fs::copy(&second, first).unwrap();
    assert_eq!(run(&folder, &[]), ("42i32\n".to_string(), false));
}

#[test]
fn processes_that_fill_the_cache_at_once_lose_nothing() {
    let folder = folder();
    let start = || folder.command(&["run", "p.fut", "21"]).spawn().unwrap();
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    for child in running {
        assert_eq!(ended(child).succeeds(), "42i32\n");
    }
    assert!(run(&folder, &[]).1);
    let litter: Vec<_> =
        entries(&folder).into_iter().filter(|path| path.extension().unwrap() != "entry").collect();
    assert_eq!(litter, Vec::<PathBuf>::new());
}

#[test]
fn warnings_survive_the_cache() {
    let folder = folder();
    let first = folder.run(&["run", "p.fut", "21"]).errors;
    assert_eq!(folder.run(&["run", "p.fut", "21"]).errors, first);
}
