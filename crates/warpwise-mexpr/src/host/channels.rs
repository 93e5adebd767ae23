//! Files that a program has opened (`ext/file-ext.mc`), by number.
//!
//! The first three are the world's standard input, output and error; the others come from [`World::open_read`] and
//! [`World::open_write`]. A number is not reused. Output is buffered until the buffer is full, flushed or closed, or the program
//! ends. Text is UTF-8.

use std::io::{BufRead, BufWriter, Write};

use super::world::World;

/// Standard input, as a channel.
pub(super) const STDIN: i64 = 0;
/// Standard output.
pub(super) const STDOUT: i64 = 1;
/// Standard error.
pub(super) const STDERR: i64 = 2;

/// The channels of a program, except the standard ones, whose numbers come first.
#[derive(Default)]
pub(super) struct Channels {
    open: Vec<Channel>,
}

enum Channel {
    Reads(Box<dyn BufRead>),
    Writes(BufWriter<Box<dyn Write>>),
    Closed,
}

const CLOSED: &str = "the channel is closed";

fn words<T>(result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "what was read is no UTF-8 text".to_string())
}

impl Channels {
    /// Opens a file to be read; `None` if that fails.
    pub(super) fn open_read(&mut self, world: &mut dyn World, path: &str) -> Option<i64> {
        let reader = world.open_read(path).ok()?;
        Some(self.add(Channel::Reads(reader)))
    }

    /// Opens a file to be written, and empties it; `None` if that fails.
    pub(super) fn open_write(&mut self, world: &mut dyn World, path: &str) -> Option<i64> {
        let writer = world.open_write(path).ok()?;
        Some(self.add(Channel::Writes(BufWriter::new(writer))))
    }

    fn add(&mut self, channel: Channel) -> i64 {
        self.open.push(channel);
        STDERR + self.open.len() as i64
    }

    fn channel(&mut self, number: i64) -> Result<&mut Channel, String> {
        let index = usize::try_from(number - STDERR - 1);
        index
            .ok()
            .and_then(|index| self.open.get_mut(index))
            .ok_or_else(|| "there is no such channel".to_string())
    }

    fn reader(&mut self, number: i64) -> Result<&mut dyn BufRead, String> {
        match self.channel(number)? {
            Channel::Reads(reader) => Ok(reader),
            Channel::Writes(_) => Err("the channel is not open for reading".to_string()),
            Channel::Closed => Err(CLOSED.to_string()),
        }
    }

    fn writer(&mut self, number: i64) -> Result<&mut dyn Write, String> {
        match self.channel(number)? {
            Channel::Writes(writer) => Ok(writer),
            Channel::Reads(_) => Err("the channel is not open for writing".to_string()),
            Channel::Closed => Err(CLOSED.to_string()),
        }
    }

    /// Reads the next line, without its end; `None` at the end of the file.
    pub(super) fn line(&mut self, world: &mut dyn World, number: i64) -> Result<Option<String>, String> {
        if number == STDIN {
            return world.read_line();
        }
        let mut bytes = Vec::new();
        if words(self.reader(number)?.read_until(b'\n', &mut bytes))? == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        text(bytes).map(Some)
    }

    /// Reads the rest of a channel.
    pub(super) fn rest(&mut self, world: &mut dyn World, number: i64) -> Result<String, String> {
        let mut bytes = Vec::new();
        if number == STDIN {
            bytes = world.read_bytes(usize::MAX)?;
        } else {
            words(self.reader(number)?.read_to_end(&mut bytes))?;
        }
        text(bytes)
    }

    /// Writes a text.
    pub(super) fn write(&mut self, world: &mut dyn World, number: i64, text: &str) -> Result<(), String> {
        match number {
            STDOUT => world.print(text),
            STDERR => world.print_error(text),
            _ => words(self.writer(number)?.write_all(text.as_bytes())),
        }
    }

    /// Makes sure that everything written is in the file.
    pub(super) fn flush(&mut self, world: &mut dyn World, number: i64) -> Result<(), String> {
        match number {
            STDOUT | STDERR => world.flush(),
            _ => words(self.writer(number)?.flush()),
        }
    }

    /// Closes a channel; closing it again has no effect.
    pub(super) fn close(&mut self, world: &mut dyn World, number: i64) -> Result<(), String> {
        if (STDIN..=STDERR).contains(&number) {
            return world.flush();
        }
        match std::mem::replace(self.channel(number)?, Channel::Closed) {
            Channel::Writes(mut writer) => words(writer.flush()),
            Channel::Reads(_) | Channel::Closed => Ok(()),
        }
    }

    /// Writes the buffered output, at the end of a program.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        self.open.iter_mut().try_for_each(|channel| match channel {
            Channel::Writes(writer) => words(writer.flush()),
            Channel::Reads(_) | Channel::Closed => Ok(()),
        })
    }
}
