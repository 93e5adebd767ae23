//! Files and folders that only their owner can have written.
//!
//! A file that is executed must come from the user who runs it. It must be a regular file and not a link, belong to the user of
//! this process, and be writable by nobody else; the same holds for a folder. The check is made on the opened file, not on its
//! name. Systems other than Unix are not checked.

use std::fmt;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file or a folder is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    path: PathBuf,
    why: &'static str,
}

/// The reason why a file is not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It must not be read.
    Refused(Refused),
    /// It cannot be read, or does not exist.
    Failed,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not used: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Refused {}

/// Creates a folder and its parents, for this user alone. An existing folder must be writable by this user alone.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    check_folder(path).map_err(io::Error::other)
}

/// Checks that only this user may write into a folder. A missing path, or one that is no folder, is accepted: nothing is found in it.
pub(crate) fn check_folder(path: &Path) -> Result<(), Refused> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => check(path, &metadata),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a file for reading, without waiting. Links are not followed.
pub(crate) fn open(path: &Path) -> Result<File, Unread> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let refused = |why| Unread::Refused(Refused { path: path.to_path_buf(), why });
    let file = options.open(path).map_err(|_| match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => refused("it is a link"),
        Ok(_) | Err(_) => Unread::Failed,
    })?;
    let metadata = file.metadata().map_err(|_| Unread::Failed)?;
    if !metadata.is_file() {
        return Err(refused("it is no regular file"));
    }
    check(path, &metadata).map_err(Unread::Refused)?;
    Ok(file)
}

/// Creates a file that does not exist yet, for this user alone.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn check(path: &Path, metadata: &Metadata) -> Result<(), Refused> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call reads a number of this process and cannot fail.
    let user = unsafe { libc::geteuid() };
    let why = if metadata.uid() != user {
        "it belongs to another user"
    } else if metadata.mode() & 0o022 != 0 {
        "others than its owner may write it (`chmod go-w` takes that away)"
    } else {
        return Ok(());
    };
    Err(Refused { path: path.to_path_buf(), why })
}

#[cfg(not(unix))]
fn check(_: &Path, _: &Metadata) -> Result<(), Refused> {
    Ok(())
}
