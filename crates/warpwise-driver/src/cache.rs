//! A cache of blobs by key, in a folder. Its size is bounded, and any number of processes share it.
//!
//! An entry is one file: a magic number, the key, a fingerprint of key and contents, the contents. It is written under a temporary
//! name and renamed, so a reader sees a whole entry or none. Of two writers the last one wins; both wrote the same bytes. A
//! truncated or altered entry, or one with another key, does not match and counts as absent. Reading an entry renews its time; the
//! oldest entries are deleted when the folder exceeds its bound. Files whose names are not those of entries are never touched.
//!
//! The contents are executed. A folder or an entry that another user owns or may write is therefore refused, and a new folder is
//! accessible to its user alone (see [`crate::private`]). The fingerprint guards against accidents only.
//!
//! Losing the whole folder costs time and nothing else.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use warpwise_source::fingerprint::Fingerprint;

use crate::private::{self, Refused, Unread};

/// Default bound: 256 MiB.
pub const DEFAULT_BOUND: u64 = 256 << 20;

const MARK: &[u8; 8] = b"warpwis2";
const HEADER: usize = MARK.len() + 2 * size_of::<u128>();
const ENDING: &str = "entry";
const UNFINISHED: &str = "part";

/// Age after which an unfinished file counts as abandoned by its writer.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder with a bound on its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskCache {
    folder: PathBuf,
    bound: u64,
}

impl DiskCache {
    /// Creates a cache of at most `bound` bytes in this folder, which is created when the first entry is kept.
    pub fn new(folder: impl Into<PathBuf>, bound: u64) -> DiskCache {
        DiskCache { folder: folder.into(), bound }
    }

    /// Returns the cache in the user's cache folder; `None` if the environment names no such folder.
    pub fn of_user() -> Option<DiskCache> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(DiskCache::new(folder.join("warpwise"), DEFAULT_BOUND))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the contents of an entry; an error if the folder or the entry cannot be trusted.
    pub fn get(&self, key: u128) -> Result<Option<Vec<u8>>, Refused> {
        private::check_folder(&self.folder)?;
        let mut file = match private::open(&self.place(key)) {
            Ok(file) => file,
            Err(Unread::Refused(refused)) => return Err(refused),
            Err(Unread::Failed) => return Ok(None),
        };
        let mut bytes = Vec::new();
        if file.read_to_end(&mut bytes).is_err() || bytes.len() < HEADER {
            return Ok(None);
        }
        let contents = bytes.split_off(HEADER);
        if bytes != header(key, &contents) {
            return Ok(None);
        }
        // If the time cannot be set, only the order of eviction suffers.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(contents))
    }

    /// Keeps `contents` under a key, then removes the oldest entries beyond the bound.
    pub fn put(&self, key: u128, contents: &[u8]) -> io::Result<()> {
        private::make_folder(&self.folder)?;
        let unfinished = self.unfinished();
        let written =
            write_entry(&unfinished, key, contents).and_then(|()| fs::rename(&unfinished, self.place(key)));
        if written.is_err() {
            // A remaining file does no harm, and is removed later.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        self.evict()
    }

    fn place(&self, key: u128) -> PathBuf {
        self.folder.join(format!("{key:032x}.{ENDING}"))
    }

    /// Returns a name that no other writer uses, in this process or another.
    fn unfinished(&self) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{count}.{UNFINISHED}", process::id()))
    }

    /// Removes abandoned files, and the oldest entries until the rest is within the bound. Other processes may do the same at the same
    /// time: a file that is already gone is no error.
    fn evict(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            // For a link this describes the link, not its target.
            let Ok(metadata) = file.metadata() else { continue };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let path = file.path();
            match Kind::of(&file.file_name().to_string_lossy()) {
                Some(Kind::Entry) => entries.push((modified, metadata.len(), path)),
                Some(Kind::Unfinished) if now.duration_since(modified).is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                Some(Kind::Unfinished) | None => {}
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

/// The kind of a file, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Entry,
    Unfinished,
}

impl Kind {
    /// Returns the kind of a file; `None` for files that do not belong to the cache: see [`DiskCache::place`] and
    /// [`DiskCache::unfinished`].
    fn of(name: &str) -> Option<Kind> {
        let (stem, ending) = name.split_once('.')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match ending {
            ENDING
                if stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) =>
            {
                Some(Kind::Entry)
            }
            UNFINISHED if stem.split_once('-').is_some_and(|(x, y)| is_number(x) && is_number(y)) => {
                Some(Kind::Unfinished)
            }
            _ => None,
        }
    }
}

fn write_entry(path: &Path, key: u128, contents: &[u8]) -> io::Result<()> {
    let mut file = private::create(path)?;
    file.write_all(&header(key, contents))?;
    file.write_all(contents)
}

/// Returns the header of an entry.
fn header(key: u128, contents: &[u8]) -> Vec<u8> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(&key);
    fingerprint.add(contents);
    let mut header = MARK.to_vec();
    header.extend(key.to_le_bytes());
    header.extend(fingerprint.finish().to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::fs::File;

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
        assert_eq!(cache.get(1), Ok(None));
        cache.put(1, b"one").unwrap();
        cache.put(2, b"").unwrap();
        assert_eq!(cache.get(1), Ok(Some(b"one".to_vec())));
        assert_eq!(cache.get(2), Ok(Some(Vec::new())));
        cache.put(1, b"other").unwrap();
        assert_eq!(cache.get(1), Ok(Some(b"other".to_vec())));
    }

    #[test]
    fn damaged_entries_count_as_absent() {
        let (_folder, cache) = cache(1 << 20);
        let contents = [7_u8; 100];
        cache.put(1, &contents).unwrap();
        let whole = fs::read(cache.place(1)).unwrap();
        for length in [0, 1, 8, HEADER - 1, HEADER, whole.len() - 1] {
            fs::write(cache.place(1), &whole[..length]).unwrap();
            assert_eq!(cache.get(1), Ok(None), "cut to {length} bytes");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(cache.place(1), bytes).unwrap();
            assert_eq!(cache.get(1), Ok(None), "byte {at} altered");
        }
        cache.put(1, &contents).unwrap();
        assert_eq!(cache.get(1), Ok(Some(contents.to_vec())));
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let (_folder, cache) = cache(3 * (1000 + HEADER as u64));
        for key in 1..=3 {
            cache.put(key, &[0; 1000]).unwrap();
            set_age(&cache, key, 100 - key as u64);
        }
        assert!(cache.get(1).unwrap().is_some(), "now the youngest");
        cache.put(4, &[0; 1000]).unwrap();
        assert_eq!([1, 2, 3, 4].map(|key| cache.get(key).unwrap().is_some()), [true, false, true, true]);
    }

    #[test]
    fn an_entry_under_another_key_counts_as_absent() {
        let (_folder, cache) = cache(1 << 20);
        cache.put(1, b"one").unwrap();
        cache.put(2, b"two").unwrap();
        fs::copy(cache.place(2), cache.place(1)).unwrap();
        assert_eq!((cache.get(1), cache.get(2)), (Ok(None), Ok(Some(b"two".to_vec()))));
    }

    #[test]
    fn only_what_is_named_as_an_entry_is_evicted() {
        let (_folder, cache) = cache(100);
        cache.put(1, b"one").unwrap();
        let key = "0123456789abcdef0123456789abcdef";
        let others = ["notes.entry", "thesis.part", "1-.part", "1-2.part.gz", "x.entry.bak", "plain"]
            .map(str::to_string)
            .into_iter()
            .chain([
                format!("{key}.entry2"),
                format!("{}.entry", key.to_uppercase()),
                format!("{key}0.entry"),
            ]);
        let others: Vec<PathBuf> = others.map(|name| cache.folder.join(name)).collect();
        for path in &others {
            fs::write(path, [0; 1000]).unwrap();
            File::open(path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        cache.put(2, &[0; 1000]).unwrap();
        assert!(others.iter().all(|path| path.exists()));
        assert!(!cache.place(1).exists() && !cache.place(2).exists());
    }

    #[cfg(unix)]
    mod on_unix {
        use std::os::unix::fs::{PermissionsExt, chown, symlink};
        use std::process::Command;

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        fn set_mode(path: &Path, mode: u32) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }

        #[test]
        fn folders_and_entries_are_their_users_alone() {
            let (folder, cache) = cache(1 << 20);
            cache.put(1, b"one").unwrap();
            assert_eq!([mode(&folder.path().join("deep")), mode(&cache.folder)], [0o700; 2]);
            assert_eq!(mode(&cache.place(1)), 0o600);
        }

        #[test]
        fn what_others_may_write_is_refused() {
            let (_folder, cache) = cache(1 << 20);
            cache.put(1, b"one").unwrap();
            for open in [0o777, 0o1777, 0o770, 0o702] {
                set_mode(&cache.folder, open);
                let said = cache.get(1).unwrap_err().to_string();
                assert!(
                    said.starts_with(&cache.folder.display().to_string()) && said.contains("may write"),
                    "{said}"
                );
                assert!(cache.put(2, b"two").unwrap_err().to_string().contains("may write"));
                assert!(!cache.place(2).exists());
            }
            set_mode(&cache.folder, 0o755);
            set_mode(&cache.place(1), 0o620);
            assert!(cache.get(1).unwrap_err().to_string().contains(".entry: not used: others"));
            set_mode(&cache.place(1), 0o644);
            assert_eq!(cache.get(1), Ok(Some(b"one".to_vec())));
        }

        #[test]
        fn what_belongs_to_others_is_refused() {
            let (_folder, cache) = cache(1 << 20);
            cache.put(1, b"one").unwrap();
            // Only the superuser can give files away.
            if chown(cache.place(1), Some(1), None).is_err() {
                return;
            }
            assert!(cache.get(1).unwrap_err().to_string().contains("belongs to another user"));
            chown(&cache.folder, Some(1), None).unwrap();
            assert!(cache.put(2, b"two").unwrap_err().to_string().contains("belongs to another user"));
        }

        #[test]
        fn what_is_no_file_is_neither_followed_nor_waited_for() {
            let (folder, cache) = cache(1 << 20);
            cache.put(1, b"one").unwrap();
            let elsewhere = folder.path().join("elsewhere");
            fs::rename(cache.place(1), &elsewhere).unwrap();
            symlink(&elsewhere, cache.place(1)).unwrap();
            assert!(cache.get(1).unwrap_err().to_string().contains("is a link"));
            fs::remove_file(cache.place(1)).unwrap();
            assert!(Command::new("mkfifo").arg(cache.place(1)).status().unwrap().success());
            assert!(cache.get(1).unwrap_err().to_string().contains("no regular file"));
            fs::create_dir(cache.place(3)).unwrap();
            assert!(cache.get(3).unwrap_err().to_string().contains("no regular file"));
            // A new entry replaces whatever has its name.
            cache.put(1, b"one").unwrap();
            assert_eq!(cache.get(1), Ok(Some(b"one".to_vec())));
        }
    }

    #[test]
    fn what_is_larger_than_the_bound_is_not_kept() {
        let (_folder, cache) = cache(10);
        cache.put(1, &[0; 1000]).unwrap();
        assert_eq!(cache.get(1), Ok(None));
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
                        let found = cache.get(round % 5).unwrap().expect("never torn, never gone");
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
        assert_eq!(cache.get(1), Ok(None));
    }
}
