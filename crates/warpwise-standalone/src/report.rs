//! A report of a program's calls, in the JSON format of Futhark's.
//!
//! ```text
//! {"memory":{"default space": 4096},"events":[{"name":"main_map","provenance":"p.fut:1:20","duration":12.500,"details":{"bytes":800}}]}
//! ```

use std::fmt::Write;

use warpwise_runtime::execute::Step;

use crate::program::Program;

/// Describes the most memory in use so far, in bytes, and the steps of calls since the last report if they were recorded. Durations are
/// in microseconds; `bytes` is the size of the arrays given to a step.
pub fn report(program: &Program) -> String {
    let peak = program.memory().statistics().peak_live;
    let events: Vec<String> = program.take_steps().iter().map(event).collect();
    format!("{{\"memory\":{{\"default space\": {peak}}},\"events\":[{}]}}", events.join(","))
}

fn event(step: &Step) -> String {
    let provenance = if step.place.is_empty() { "unknown" } else { &step.place };
    format!(
        "{{\"name\":{},\"provenance\":{},\"duration\":{:.3},\"details\":{{\"bytes\":{}}}}}",
        quoted(&step.what),
        quoted(provenance),
        1e6 * step.time.as_secs_f64(),
        step.bytes
    )
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
