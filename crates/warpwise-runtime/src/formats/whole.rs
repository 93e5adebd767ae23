//! Files that are either complete or absent, and the identity of files.
//!
//! A file is written beside its final place and renamed when it is complete. Until then, and if it is never completed, the former
//! file stays unchanged. Pipes and devices are written in place.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that gets its name when it is complete; if it is dropped before, nothing remains.
#[derive(Debug)]
pub struct WholeFile {
    file: BufWriter<File>,
    /// The temporary and the final path; none if the target is not a regular file.
    places: Option<(PathBuf, PathBuf)>,
}

/// The identity of a file, which is equal for all its names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A regular file: its device and its inode number.
    File(u64, u64),
    /// A path that does not exist yet.
    Free(PathBuf),
}

impl WholeFile {
    /// Begins a file that will be named `path`.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        // A symbolic link stays a link.
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let before = fs::metadata(&whole).ok();
        if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(WholeFile { file: buffered(File::create(path)?), places: None });
        }
        let beside = beside(&whole);
        let file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let whole_file = WholeFile { file: buffered(file), places: Some((beside, whole)) };
        if let Some(before) = before {
            whole_file.file.get_ref().set_permissions(before.permissions())?;
        }
        Ok(whole_file)
    }

    /// Sets the file's permissions, which otherwise are those of the file it replaces.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.get_ref().set_permissions(permissions)
    }

    /// Flushes the file and gives it its name.
    pub fn complete(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((beside, whole)) = &self.places {
            fs::rename(beside, whole)?;
            self.places = None;
        }
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.places {
            // If it cannot be removed, only a stray file remains.
            let _ = fs::remove_file(beside);
        }
    }
}

impl Place {
    /// Returns the place of an existing file or of one that could be created; `None` for pipes, devices and folders, and where no
    /// file can be created.
    pub fn of(path: &Path) -> Option<Place> {
        if let Ok(metadata) = fs::metadata(path) {
            return metadata.is_file().then(|| Place::of_file(path, &metadata));
        }
        let name = path.file_name()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(Place::Free(folder.canonicalize().ok()?.join(name)))
    }

    #[cfg(unix)]
    fn of_file(_: &Path, metadata: &fs::Metadata) -> Place {
        use std::os::unix::fs::MetadataExt;
        Place::File(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn of_file(path: &Path, _: &fs::Metadata) -> Place {
        Place::Free(path.canonicalize().unwrap_or_else(|_| path.to_path_buf()))
    }
}

/// Returns an unused name in the same folder.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".warpwise-{}-{count}.part", process::id()))
}

fn buffered(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 16, file)
}
