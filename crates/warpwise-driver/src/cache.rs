//! A folder that keeps blobs by key, bounded in size, shared by any number of processes.
//!
//! An entry is one file: a mark, a fingerprint of the contents, the contents. It is written beside its place
//! and renamed into it, so whoever reads sees a whole entry or none; of two writers the last one wins, and
//! both wrote the same. An entry that is cut short or altered does not match its fingerprint and counts as
//! absent. Reading an entry makes it young; when the folder grows beyond its bound the oldest entries go.
//!
//! Losing the whole folder loses nothing but time.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use warpwise_source::fingerprint::Fingerprint;

/// The bound unless another is set: 256 MiB.
pub const DEFAULT_BOUND: u64 = 256 << 20;

const MARK: &[u8; 8] = b"warpwis1";
const HEADER: usize = MARK.len() + size_of::<u128>();
const ENDING: &str = "entry";
const UNFINISHED: &str = "part";

/// A writer that has not finished after this long never will.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The folder and its bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskCache {
    folder: PathBuf,
    bound: u64,
}

impl DiskCache {
    /// A cache in this folder, made when something is first kept, of at most so many bytes.
    pub fn new(folder: impl Into<PathBuf>, bound: u64) -> DiskCache {
        DiskCache { folder: folder.into(), bound }
    }

    /// A cache in the place where users' caches lie; none where there is no such place.
    pub fn of_user() -> Option<DiskCache> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(DiskCache::new(folder.join("warpwise"), DEFAULT_BOUND))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is kept under a key.
    pub fn get(&self, key: u128) -> Option<Vec<u8>> {
        let path = self.place(key);
        let mut bytes = fs::read(&path).ok()?;
        let header = bytes.get(..HEADER)?;
        if !header.starts_with(MARK) || header[MARK.len()..] != fingerprint(&bytes[HEADER..]).to_le_bytes() {
            return None;
        }
        // Only the order of eviction suffers where the time cannot be set.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        bytes.drain(..HEADER);
        Some(bytes)
    }

    /// Keeps something under a key, then removes the oldest entries beyond the bound.
    pub fn put(&self, key: u128, contents: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let unfinished = self.unfinished();
        let written =
            write_entry(&unfinished, contents).and_then(|()| fs::rename(&unfinished, self.place(key)));
        if written.is_err() {
            // It is only litter, and will be taken away later.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        self.evict()
    }

    fn place(&self, key: u128) -> PathBuf {
        self.folder.join(format!("{key:032x}.{ENDING}"))
    }

    /// A name that no other writer uses, in this process or another.
    fn unfinished(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{count}.{UNFINISHED}", process::id()))
    }

    /// Removes what is abandoned, and the oldest entries until the rest is within the bound. Others may be
    /// at it too: a file that is gone already is no error.
    fn evict(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            let Ok(metadata) = file.metadata() else { continue };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let path = file.path();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(ENDING) => entries.push((modified, metadata.len(), path)),
                Some(UNFINISHED) if now.duration_since(modified).is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                Some(_) | None => {}
            }
        }
        let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        entries.sort();
        for (_, bytes, path) in entries {
            if total <= self.bound {
                break;
            }
            let _ = fs::remove_file(path);
            total -= bytes;
        }
        Ok(())
    }
}

fn write_entry(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(MARK)?;
    file.write_all(&fingerprint(contents).to_le_bytes())?;
    file.write_all(contents)
}

fn fingerprint(contents: &[u8]) -> u128 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(contents);
    fingerprint.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(bound: u64) -> (tempfile::TempDir, DiskCache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskCache::new(folder.path().join("deep/er"), bound);
        (folder, cache)
    }

    fn set_age(cache: &DiskCache, key: u128, seconds: u64) {
        let file = File::open(cache.place(key)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn keeps_and_replaces() {
        let (_folder, cache) = cache(1 << 20);
        assert_eq!(cache.get(1), None);
        cache.put(1, b"one").unwrap();
        cache.put(2, b"").unwrap();
        assert_eq!(cache.get(1).as_deref(), Some(&b"one"[..]));
        assert_eq!(cache.get(2).as_deref(), Some(&b""[..]));
        cache.put(1, b"other").unwrap();
        assert_eq!(cache.get(1).as_deref(), Some(&b"other"[..]));
    }

    #[test]
    fn damaged_entries_count_as_absent() {
        let (_folder, cache) = cache(1 << 20);
        let contents = [7_u8; 100];
        cache.put(1, &contents).unwrap();
        let whole = fs::read(cache.place(1)).unwrap();
        for length in [0, 1, 8, HEADER - 1, HEADER, whole.len() - 1] {
            fs::write(cache.place(1), &whole[..length]).unwrap();
            assert_eq!(cache.get(1), None, "cut to {length} bytes");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(cache.place(1), bytes).unwrap();
            assert_eq!(cache.get(1), None, "byte {at} altered");
        }
        cache.put(1, &contents).unwrap();
        assert_eq!(cache.get(1).as_deref(), Some(&contents[..]));
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let (_folder, cache) = cache(3 * (1000 + HEADER as u64));
        for key in 1..=3 {
            cache.put(key, &[0; 1000]).unwrap();
            set_age(&cache, key, 100 - key as u64);
        }
        assert!(cache.get(1).is_some(), "now the youngest");
        cache.put(4, &[0; 1000]).unwrap();
        assert_eq!([1, 2, 3, 4].map(|key| cache.get(key).is_some()), [true, false, true, true]);
    }

    #[test]
    fn what_is_larger_than_the_bound_is_not_kept() {
        let (_folder, cache) = cache(10);
        cache.put(1, &[0; 1000]).unwrap();
        assert_eq!(cache.get(1), None);
    }

    #[test]
    fn abandoned_writes_go_and_fresh_ones_stay() {
        let (_folder, cache) = cache(1 << 20);
        cache.put(1, b"one").unwrap();
        let (old, new) = (cache.folder.join("1-1.part"), cache.folder.join("1-2.part"));
        fs::write(&old, b"?").unwrap();
        fs::write(&new, b"?").unwrap();
        File::open(&old).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        cache.put(2, b"two").unwrap();
        assert!(!old.exists() && new.exists());
    }

    #[test]
    fn many_writers_at_once_lose_nothing() {
        let (_folder, cache) = cache(1 << 20);
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..50_u128 {
                        let contents = vec![writer; 500 + usize::from(writer)];
                        cache.put(round % 5, &contents).unwrap();
                        let found = cache.get(round % 5).expect("never torn, never gone");
                        assert!(found.iter().all(|byte| *byte == found[0]));
                        assert_eq!(found.len(), 500 + usize::from(found[0]));
                    }
                });
            }
        });
    }

    #[test]
    fn where_nothing_can_be_written_that_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let cache = DiskCache::new(file.join("cache"), 100);
        assert!(cache.put(1, b"one").is_err());
        assert_eq!(cache.get(1), None);
    }
}
