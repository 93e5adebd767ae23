//! A JSON report of a program's calls.

use std::fmt::Write;

use crate::program::Program;

/// Describes the use of memory, and where calls spent their time if that was recorded.
pub fn report(program: &Program) -> String {
    let memory = program.memory().statistics();
    let mut text = format!(
        "{{\"memory\": {{\"live\": {}, \"peak\": {}, \"held\": {}}}, \"events\": [",
        memory.live, memory.peak_live, memory.held
    );
    for (number, spent) in program.profile().iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(
            text,
            "{comma}{{\"name\": {}, \"provenance\": {}, \"times\": {}, \"microseconds\": {}, \"bytes\": {}}}",
            quoted(&spent.what),
            quoted(&spent.place),
            spent.times,
            spent.time.as_micros(),
            spent.bytes
        );
    }
    text + "]}"
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\u000ad""#);
    }
}
