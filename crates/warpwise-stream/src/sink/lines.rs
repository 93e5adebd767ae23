//! Files of lines that end with a whole line even when the disk is full: an incomplete line is removed.

use std::fs::File;
use std::io::{self, Seek, Write};

/// Number of bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file of lines. Each line must be written by a single call.
pub(super) struct WholeLines {
    file: File,
    /// Whole lines that are not yet in the file.
    buffer: Vec<u8>,
}

impl WholeLines {
    pub(super) fn new(file: File) -> WholeLines {
        WholeLines { file, buffer: Vec::with_capacity(BUFFER) }
    }

    /// Writes the gathered lines; on failure only whole lines remain in the file.
    fn drain(&mut self) -> io::Result<()> {
        let mut written = 0;
        while written < self.buffer.len() {
            match self.file.write(&self.buffer[written..]) {
                Ok(0) => return self.cut(written, io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.cut(written, error),
            }
        }
        self.buffer.clear();
        Ok(())
    }

    /// Removes the incomplete line from the file, of which `written` bytes of the buffer have been written.
    fn cut(&mut self, written: usize, error: io::Error) -> io::Result<()> {
        let whole = self.buffer[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        self.buffer.clear();
        let end = self.file.stream_position()?;
        self.file.set_len(end - (written - whole) as u64)?;
        Err(error)
    }
}

impl Write for WholeLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.drain()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drain()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read;

    use super::*;

    /// Makes a file with room for `bytes` bytes: it is sealed against growing.
    fn with_room(bytes: u64) -> File {
        use std::os::fd::{AsRawFd, FromRawFd};
        // SAFETY: the name ends with a zero byte, and the descriptor is new and owned here.
        let file =
            unsafe { File::from_raw_fd(libc::memfd_create(c"lines".as_ptr(), libc::MFD_ALLOW_SEALING)) };
        file.set_len(bytes).unwrap();
        // SAFETY: plain system call on an owned descriptor.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_GROW) }, 0);
        file
    }

    #[test]
    fn what_does_not_fit_ends_with_a_whole_line() {
        let line = b"123456789\n";
        for (room, lines) in [(BUFFER as u64, 20_000), (100_000, 20_000), (100_003, 20_000)] {
            let file = with_room(room);
            let mut output = WholeLines::new(file.try_clone().unwrap());
            let failed =
                (0..lines).find_map(|_| output.write_all(line).err()).or_else(|| output.flush().err());
            assert!(failed.is_some(), "{room}");
            let mut text = Vec::new();
            (&file).rewind().unwrap();
            (&file).read_to_end(&mut text).unwrap();
            assert!(text.len() as u64 <= room);
            assert!(text.chunks(line.len()).all(|found| found == line), "{room}: {} bytes", text.len());
        }
    }

    #[test]
    fn everything_is_written_in_order() {
        let mut file = tempfile::tempfile().unwrap();
        let mut output = WholeLines::new(file.try_clone().unwrap());
        let lines: Vec<String> = (0..30_000).map(|number| format!("{number}\n")).collect();
        lines.iter().for_each(|line| output.write_all(line.as_bytes()).unwrap());
        output.flush().unwrap();
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        assert!(text == lines.concat());
    }
}
