//! Files that are whole or not there, and what tells files apart.
//!
//! A file is written beside its place and renamed into it when it is complete. Until then, and if it never is, what was there before
//! stays as it was. Pipes and devices are written to where they are.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that gets its name when it is complete; dropped before, it leaves nothing.
#[derive(Debug)]
pub struct WholeFile {
    file: BufWriter<File>,
    /// Where the file lies meanwhile, and where it is to lie; none for what is no regular file.
    places: Option<(PathBuf, PathBuf)>,
}

/// The identity of a file, which its names have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A regular file: its device and number there.
    File(u64, u64),
    /// A name in a folder that nothing has yet.
    Free(PathBuf),
}

impl WholeFile {
    /// Begins a file that is to be called so.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        // A link stays one.
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

    /// Lets the file be used so, instead of as the one before it.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.get_ref().set_permissions(permissions)
    }

    /// Gives the file its name.
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
            // It is only litter where it cannot be removed.
            let _ = fs::remove_file(beside);
        }
    }
}

impl Place {
    /// The place of a file that is there or may come to be; none of pipes, devices and folders, and where nothing can be.
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

/// A name in the same folder that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".warpwise-{}-{count}.part", process::id()))
}

fn buffered(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 16, file)
}
