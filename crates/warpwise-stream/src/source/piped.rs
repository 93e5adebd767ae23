//! Files, pipes and terminals as bytes in order, and the amount that has arrived of inputs that are still being written.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// An input, which may still be being written.
pub(super) struct Piped {
    file: Arc<File>,
    /// Bytes that were read for inspection and will be read again.
    ahead: Vec<u8>,
    held: Arc<AtomicU64>,
}

/// The amount of an input that can be read without waiting.
#[derive(Clone)]
pub(super) struct Arrivals {
    file: Arc<File>,
    /// Number of bytes that the reader holds.
    held: Arc<AtomicU64>,
}

impl Piped {
    pub(super) fn new(file: File) -> Piped {
        Piped { file: Arc::new(file), ahead: Vec::new(), held: Arc::default() }
    }

    /// Opens standard input, without a buffer in between that would hide what has arrived.
    pub(super) fn standard_input() -> io::Result<Piped> {
        Ok(Piped::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }

    /// Returns the arrivals, or `None` for a regular file, which is complete.
    pub(super) fn arrivals(&self) -> io::Result<Option<Arrivals>> {
        let arrivals = || Arrivals { file: Arc::clone(&self.file), held: Arc::clone(&self.held) };
        Ok((!self.file.metadata()?.is_file()).then(arrivals))
    }

    /// Returns the first `count` bytes, or all if there are fewer, without consuming them.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        (&*self.file).take(count as u64).read_to_end(&mut self.ahead)?;
        self.held.store(self.ahead.len() as u64, Ordering::Relaxed);
        Ok(&self.ahead)
    }
}

impl Read for Piped {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() {
            return (&*self.file).read(target);
        }
        let count = target.len().min(self.ahead.len());
        target[..count].copy_from_slice(&self.ahead[..count]);
        self.ahead.drain(..count);
        self.held.store(self.ahead.len() as u64, Ordering::Relaxed);
        // The next reader may need more than these few bytes at once, if more is available.
        match &mut target[count..] {
            rest if !rest.is_empty() && waiting(&self.file).is_some_and(|bytes| bytes > 0) => {
                Ok(count + (&*self.file).read(rest)?)
            }
            _ => Ok(count),
        }
    }
}

impl Arrivals {
    /// Waits at most `within` for bytes to read. Returns their number, or `None` if a read will report that the input has ended
    /// or failed.
    pub(super) fn bytes(&self, within: Duration) -> Option<u64> {
        let held = self.held.load(Ordering::Relaxed);
        let there = waiting(&self.file);
        if held > 0 || there != Some(0) {
            return there.map(|there| held + there);
        }
        let mut poll = libc::pollfd { fd: self.file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let milliseconds = within.as_millis().min(i32::MAX as u128) as i32;
        // SAFETY: `poll` is one valid entry.
        match unsafe { libc::poll(&raw mut poll, 1, milliseconds) } {
            // No data, or a signal arrived: the caller may check again.
            0 | -1 => Some(0),
            _ => waiting(&self.file).filter(|&there| there > 0),
        }
    }
}

/// Returns the number of bytes that the system holds for the next reads, or `None` if it does not tell.
fn waiting(file: &File) -> Option<u64> {
    let mut count: libc::c_int = 0;
    // SAFETY: the request writes an `int`.
    let status = unsafe { libc::ioctl(file.as_raw_fd(), libc::FIONREAD, &raw mut count) };
    u64::try_from(count).ok().filter(|_| status == 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_has_arrived_is_known() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut piped = Piped::new(File::from(std::os::fd::OwnedFd::from(reader)));
        let arrivals = piped.arrivals().unwrap().unwrap();
        let at_once = Duration::ZERO;
        assert_eq!(arrivals.bytes(at_once), Some(0));
        writer.write_all(b"12345").unwrap();
        assert_eq!(arrivals.bytes(at_once), Some(5));
        assert_eq!(piped.peek(2).unwrap(), b"12");
        assert_eq!(arrivals.bytes(at_once), Some(5));
        let mut target = [0; 4];
        piped.read_exact(&mut target).unwrap();
        assert_eq!((&target, arrivals.bytes(at_once)), (b"1234", Some(1)));
        piped.read_exact(&mut target[..1]).unwrap();
        assert_eq!(arrivals.bytes(Duration::from_millis(1)), Some(0));
        drop(writer);
        assert_eq!(arrivals.bytes(Duration::MAX), None);
        assert_eq!(piped.read(&mut target).unwrap(), 0);
    }
}
