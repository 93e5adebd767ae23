//! Amounts of memory in human-readable form.

use std::fmt;

/// A number of bytes, displayed in a suitable unit: `512 bytes`, `1.5 MiB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1024 {
            return write!(f, "{} {}", self.0, if self.0 == 1 { "byte" } else { "bytes" });
        }
        let (mut amount, mut unit) = (self.0 as f64 / 1024.0, 0);
        // Amounts that would be rounded to 1024 become 1 of the next unit.
        while amount >= 1023.5 {
            (amount, unit) = (amount / 1024.0, unit + 1);
        }
        let digits = match amount {
            ..9.995 => 2,
            ..99.95 => 1,
            _ => 0,
        };
        let text = format!("{amount:.digits$}");
        let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        write!(f, "{text} {}", UNITS[unit])
    }
}

/// Parses a number of bytes with an optional unit, a power of 1024: `4096`, `64K`, `2G`, `1GiB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || "expected a number of bytes, such as 4096, 64K, 512M, 2G".to_string();
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than 64 bits can count".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes_have_units() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("64K"), Ok(65536));
        assert_eq!(parse_bytes("3g"), Ok(3 << 30));
        assert_eq!(parse_bytes("1GiB"), Ok(1 << 30));
        for wrong in ["", "K", "-1", "1X", "4BB", "64Kii", "1.5G", "99999999999999999999", "99999999T"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_have_three_digits() {
        let shown = |bytes| Bytes(bytes).to_string();
        assert_eq!([0, 1, 1023].map(shown), ["0 bytes", "1 byte", "1023 bytes"]);
        assert_eq!([1024, 1536, 8_000_000].map(shown), ["1 KiB", "1.5 KiB", "7.63 MiB"]);
        assert_eq!([100 << 10, (1 << 20) - 1, 20 << 30].map(shown), ["100 KiB", "1 MiB", "20 GiB"]);
        assert_eq!([800_000_000_000, u64::MAX].map(shown), ["745 GiB", "16 EiB"]);
    }
}
