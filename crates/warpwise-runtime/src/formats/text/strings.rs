//! Strings in text: bytes of UTF-8, with escapes.
//!
//! ```text
//! "two\nlines"   \a \b \f \n \r \t \v \\ \" \'   \0 \65 \x41 \o101 (a character by its number)   \NUL ... \US \SP \DEL (by its name)
//! ```

use super::parser::Parser;
use crate::formats::error::Fault;
use crate::memory::BlockBuilder;

/// Names of the characters 0 to 32, and of 127. No name is a prefix of a later one, so `SOH` precedes `SO`.
const NAMES: [(&str, u8); 34] = [
    ("NUL", 0),
    ("SOH", 1),
    ("STX", 2),
    ("ETX", 3),
    ("EOT", 4),
    ("ENQ", 5),
    ("ACK", 6),
    ("BEL", 7),
    ("BS", 8),
    ("HT", 9),
    ("LF", 10),
    ("VT", 11),
    ("FF", 12),
    ("CR", 13),
    ("SO", 14),
    ("SI", 15),
    ("DLE", 16),
    ("DC1", 17),
    ("DC2", 18),
    ("DC3", 19),
    ("DC4", 20),
    ("NAK", 21),
    ("SYN", 22),
    ("ETB", 23),
    ("CAN", 24),
    ("EM", 25),
    ("SUB", 26),
    ("ESC", 27),
    ("FS", 28),
    ("GS", 29),
    ("RS", 30),
    ("US", 31),
    ("SP", 32),
    ("DEL", 127),
];

impl Parser<'_> {
    /// Appends the bytes of the string that begins here and returns their number.
    pub(super) fn string_bytes(&mut self, bytes: &mut BlockBuilder<'_>) -> Result<i64, Fault> {
        let start = self.at;
        let mut count = 0;
        let mut buffer = [0; 4];
        self.at += 1;
        loop {
            let added = match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escaped()?.encode_utf8(&mut buffer).as_bytes(),
                Some(byte) => {
                    self.at += 1;
                    buffer[0] = byte;
                    &buffer[..1]
                }
                None => return Err(Fault::new(start as u64, "this string does not end")),
            };
            bytes.push(added).map_err(|error| Fault::memory(start as u64, error))?;
            count += added.len() as i64;
        }
        self.at += 1;
        Ok(count)
    }

    /// Parses an escape and returns its character.
    fn escaped(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let simple = match self.peek() {
            Some(b'a') => '\x07',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'v') => '\x0b',
            Some(byte @ (b'"' | b'\\' | b'\'')) => char::from(byte),
            Some(b'x' | b'X') => return self.numbered(1, 16),
            Some(b'o' | b'O') => return self.numbered(1, 8),
            Some(b'0'..=b'9') => return self.numbered(0, 10),
            _ => return self.named(),
        };
        self.at += 1;
        Ok(simple)
    }

    /// Parses a character number after a prefix of `prefix` bytes.
    fn numbered(&mut self, prefix: usize, radix: u32) -> Result<char, Fault> {
        let digits = &self.text[self.at + prefix..];
        let length =
            digits.iter().position(|&byte| !char::from(byte).is_digit(radix)).unwrap_or(digits.len());
        let number = std::str::from_utf8(&digits[..length]).ok();
        let found =
            number.and_then(|number| u32::from_str_radix(number, radix).ok()).and_then(char::from_u32);
        let found = found.ok_or_else(|| self.fault("no character has this number"))?;
        self.at += prefix + length;
        Ok(found)
    }

    fn named(&mut self) -> Result<char, Fault> {
        let rest = &self.text[self.at..];
        let Some((name, code)) = NAMES.iter().find(|(name, _)| rest.starts_with(name.as_bytes())) else {
            return Err(self
                .fault("an unknown escape; \\n, \\t, \\r, \\\", \\\\, \\65, \\x41 and the like are known"));
        };
        self.at += name.len();
        Ok(char::from(*code))
    }
}
