//! The command-line options of programs, as other compilers of the language give them to their programs.

use std::fs;

use warpwise_runtime::memory::parse_bytes;

use crate::program::Settings;

/// The requested action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Running one entry point.
    Run,
    /// Serving commands from standard input.
    Server,
    /// Printing the options.
    Help,
    /// Printing the tuning parameters.
    Parameters,
}

/// Parsed options.
#[derive(Clone, Debug)]
pub struct Options {
    pub asked: Asked,
    pub entry: String,
    /// File for the run times.
    pub times: Option<String>,
    /// Number of measured runs, after one run that does not count.
    pub runs: Option<u32>,
    pub binary: bool,
    pub silent: bool,
    pub debugging: bool,
    pub log: bool,
    pub profile: bool,
    pub settings: Settings,
}

/// A known option: its letter, its name, the placeholder of its value, its description.
struct Known {
    letter: Option<char>,
    name: &'static str,
    takes: Option<&'static str>,
    about: &'static str,
}

const KNOWN: &[Known] = &[
    known(Some('e'), "entry-point", Some("NAME"), "Run this entry point instead of `main`"),
    known(
        Some('t'),
        "write-runtime-to",
        Some("FILE"),
        "Write the time of each run to a file, in microseconds",
    ),
    known(Some('r'), "runs", Some("N"), "Number of runs, after one that does not count"),
    known(Some('b'), "binary-output", None, "Write results in the binary format"),
    known(Some('n'), "no-print-result", None, "Write no results"),
    known(Some('D'), "debugging", None, "Log what is done and print where the time went; implies --log"),
    known(Some('L'), "log", None, "Log what is done"),
    known(Some('P'), "profile", None, "Print where the time went"),
    known(None, "num-threads", Some("N"), "Number of threads, instead of one per core"),
    known(
        None,
        "memory-limit",
        Some("BYTES"),
        "Memory limit (K, M, G, T: units of 1024), instead of 80 % of the machine's memory",
    ),
    known(
        None,
        "param",
        Some("NAME=VALUE"),
        "Set a tuning parameter: an expression marked `#[param(NAME)]`, or a threshold between versions of code",
    ),
    known(None, "tuning", Some("FILE"), "Set tuning parameters from a file with one NAME=VALUE per line"),
    known(None, "print-params", None, "Print the tuning parameters"),
    known(None, "cache-file", Some("FILE"), "Accepted; there is nothing to keep between runs"),
    known(None, "server", None, "Take commands from standard input"),
    known(Some('h'), "help", None, "Print this"),
];

const fn known(
    letter: Option<char>,
    name: &'static str,
    takes: Option<&'static str>,
    about: &'static str,
) -> Known {
    Known { letter, name, takes, about }
}

/// Returns the text of `--help`.
pub fn help(program: &str) -> String {
    let line = |known: &Known| {
        let letter = known.letter.map_or("    ".to_string(), |letter| format!("-{letter}, "));
        let takes = known.takes.map_or(String::new(), |takes| format!(" {takes}"));
        format!("  {:<32} {}\n", format!("{letter}--{}{takes}", known.name), known.about)
    };
    let options: String = KNOWN.iter().map(line).collect();
    format!(
        "Usage: {program} [OPTION...]\n\nArguments are read from standard input, as text or binary.\n\n{options}"
    )
}

impl Options {
    /// Parses the words of a command line.
    pub fn parse(words: &[String], server: bool) -> Result<Options, String> {
        let mut options = Options {
            asked: if server { Asked::Server } else { Asked::Run },
            entry: "main".to_string(),
            times: None,
            runs: None,
            binary: false,
            silent: false,
            debugging: false,
            log: false,
            profile: false,
            settings: Settings::default(),
        };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let known = KNOWN.iter().find(|known| known.name == name);
                let known =
                    known.ok_or_else(|| format!("there is no option `--{name}`; `--help` lists them"))?;
                if known.takes.is_none() && value.is_some() {
                    return Err(format!("`--{name}` takes no value"));
                }
                let value = if known.takes.is_some() { value.or_else(|| words.next()) } else { None };
                options.set(known, value)?;
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                options.set_letters(letters, &mut words)?;
            } else {
                return Err(format!("`{word}` is no option; arguments are read from standard input"));
            }
        }
        Ok(options)
    }

    /// Parses options by letters: `-bn`, `-r10`, `-r 10`.
    fn set_letters<'w>(
        &mut self,
        letters: &'w str,
        words: &mut impl Iterator<Item = &'w str>,
    ) -> Result<(), String> {
        for (at, letter) in letters.char_indices() {
            let known = KNOWN.iter().find(|known| known.letter == Some(letter));
            let known =
                known.ok_or_else(|| format!("there is no option `-{letter}`; `--help` lists them"))?;
            if known.takes.is_none() {
                self.set(known, None)?;
                continue;
            }
            let attached = Some(&letters[at + letter.len_utf8()..]).filter(|value| !value.is_empty());
            return self.set(known, attached.or_else(|| words.next()));
        }
        Ok(())
    }

    fn set(&mut self, known: &Known, value: Option<&str>) -> Result<(), String> {
        let value = match (known.takes, value) {
            (Some(takes), None) => return Err(format!("`--{}` needs a value: {takes}", known.name)),
            (_, value) => value.unwrap_or_default(),
        };
        match known.name {
            "entry-point" => self.entry = value.to_string(),
            "write-runtime-to" => self.times = Some(value.to_string()),
            "runs" => {
                let runs = Some(number(known, value)?).filter(|&runs| runs > 0);
                self.runs = Some(runs.ok_or("`--runs` needs a positive number, not `0`")?);
            }
            "binary-output" => self.binary = true,
            "no-print-result" => self.silent = true,
            "debugging" => (self.debugging, self.log) = (true, true),
            "log" => self.log = true,
            "profile" => self.profile = true,
            "num-threads" => {
                self.settings.threads = Some(number::<usize>(known, value)?).filter(|&threads| threads > 0);
            }
            "memory-limit" => {
                let limit =
                    parse_bytes(value).map_err(|error| format!("`--memory-limit {value}`: {error}"))?;
                self.settings.memory_limit = Some(limit);
            }
            "param" => self.parameter(value)?,
            "tuning" => {
                let text =
                    fs::read_to_string(value).map_err(|error| format!("{value}: cannot read: {error}"))?;
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.into_iter().try_for_each(|line| self.parameter(line))?;
            }
            "print-params" => self.asked = Asked::Parameters,
            "cache-file" => {}
            "server" => self.asked = Asked::Server,
            "help" => self.asked = Asked::Help,
            other => unreachable!("`{other}` is in the table"),
        }
        Ok(())
    }

    fn parameter(&mut self, text: &str) -> Result<(), String> {
        let pair =
            text.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
        let (name, value) =
            pair.ok_or_else(|| format!("`{text}` is not NAME=VALUE, the value an integer"))?;
        self.settings.tuning.insert(name.to_string(), value);
        Ok(())
    }
}

fn number<T: std::str::FromStr>(known: &Known, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`--{}` needs a number, not `{value}`", known.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<Options, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
        Options::parse(&words, false)
    }

    #[test]
    fn options_have_letters_and_names() {
        let options = parsed("-e f -t/tmp/x -r10 -bn --num-threads=3 --log --param a=-1").unwrap();
        assert_eq!((options.entry.as_str(), options.times.as_deref()), ("f", Some("/tmp/x")));
        assert_eq!((options.runs, options.binary, options.silent, options.log), (Some(10), true, true, true));
        assert_eq!((options.settings.threads, options.debugging), (Some(3), false));
        assert_eq!(options.settings.tuning.get("a"), Some(&-1));
        assert_eq!(parsed("").unwrap().asked, Asked::Run);
        assert_eq!(parsed("-D --server").unwrap().asked, Asked::Server);
        assert_eq!(parsed("--num-threads 0").unwrap().settings.threads, None);
        assert_eq!(parsed("-h").unwrap().asked, Asked::Help);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (words, message) in [
            ("-x", "there is no option `-x`"),
            ("--nope", "there is no option `--nope`"),
            ("-r", "`--runs` needs a value: N"),
            ("-r ten", "`--runs` needs a number, not `ten`"),
            ("-r 0", "`--runs` needs a positive number, not `0`"),
            ("--log=1", "`--log` takes no value"),
            ("3", "`3` is no option"),
            ("-", "`-` is no option"),
            ("--param a", "`a` is not NAME=VALUE"),
        ] {
            let error = parsed(words).unwrap_err();
            assert!(error.starts_with(message), "{words}: {error}");
        }
    }

    #[test]
    fn every_option_can_be_set() {
        for known in KNOWN {
            let value = known.takes.map(|takes| match takes {
                "N" | "BYTES" => "1",
                "NAME=VALUE" => "a=1",
                _ => "/dev/null",
            });
            let value = value.map_or(String::new(), |value| format!(" {value}"));
            assert!(parsed(&format!("--{}{value}", known.name)).is_ok(), "{}", known.name);
        }
    }
}
