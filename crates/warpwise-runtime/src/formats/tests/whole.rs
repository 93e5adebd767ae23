//! Files that are either complete or absent.

use std::fs;
use std::io::Write;

use super::super::whole::{Place, WholeFile};

/// Returns the names in a folder.
fn names(folder: &std::path::Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_has_its_name_when_it_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let begun = |contents: &[u8]| {
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(contents).unwrap();
        file.flush().unwrap();
        file
    };
    let file = begun(b"first");
    assert!(!path.exists());
    file.complete().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let file = begun(b"second");
    assert_eq!(fs::read(&path).unwrap(), b"first");
    drop(file);
    assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"first".to_vec(), vec!["x".to_string()]));
    // Of two at once, the one completed last wins, as a whole.
    let (second, third) = (begun(b"second"), begun(b"third"));
    third.complete().unwrap();
    second.complete().unwrap();
    assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"second".to_vec(), vec!["x".to_string()]));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("x"), folder.path().join("link"));
    fs::write(&path, b"before").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("x", &link).unwrap();
    let mut file = WholeFile::create(&link).unwrap();
    file.write_all(b"after").unwrap();
    file.complete().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"after");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    // A file that is not regular is written in place.
    let mut full = WholeFile::create("/dev/full".as_ref()).unwrap();
    full.write_all(b"x").unwrap();
    assert!(full.complete().is_err());
}

#[test]
fn names_of_one_file_have_one_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("x"), b"").unwrap();
    fs::write(path("y"), b"").unwrap();
    fs::hard_link(path("x"), path("z")).unwrap();
    let place = |name: &str| Place::of(&path(name));
    assert_eq!(place("x"), place("./x"));
    assert_eq!(place("x"), place("z"));
    assert_ne!(place("x"), place("y"));
    assert_eq!(place("new"), place("./new"));
    assert_ne!(place("new"), place("newer"));
    assert_eq!(place("no/folder"), None);
    assert_eq!(Place::of("/dev/null".as_ref()), None);
}
