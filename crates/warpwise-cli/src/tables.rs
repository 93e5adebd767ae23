//! Options for the format of tables that a stream reads.

use clap::Args;
use warpwise_stream::source::{Encoding, TableStyle};

/// What a table does not say of itself.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tables (csv, tsv)")]
pub struct TableArguments {
    /// The first line of a table has no names
    #[arg(long)]
    pub no_header: bool,
    /// Field separator (`tab` for tabs), instead of a comma, or a semicolon with `--decimal ,`
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    delimiter: Option<u8>,
    /// Decimal separator, instead of a point
    #[arg(long, value_name = "CHAR")]
    decimal: Option<char>,
    /// Skip lines that begin with this character
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    comment: Option<u8>,
    /// Skip N lines at the start
    #[arg(long, value_name = "N")]
    skip: Option<u64>,
    /// Value of empty cells, and of nulls in arrow and parquet; both are errors otherwise
    #[arg(long, value_name = "VALUE")]
    missing: Option<String>,
    /// Character encoding (latin1, windows-1252, utf-16le, ...), instead of UTF-8 or that of a byte order mark
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<&'static Encoding>,
}

impl TableArguments {
    /// Converts to the options of sources.
    pub fn style(&self) -> TableStyle {
        let TableArguments { delimiter, decimal, comment, skip, ref missing, encoding, .. } = *self;
        let (separator, skip, missing) = (delimiter, skip.unwrap_or(0), missing.clone());
        TableStyle { separator, decimal, comment, skip, missing, encoding }
    }
}

impl TableArguments {
    /// Returns the options that are given.
    pub fn given(&self) -> Vec<&'static str> {
        let TableArguments { no_header, delimiter, decimal, comment, skip, missing, encoding } = self;
        let given = [
            ("--no-header", *no_header),
            ("--delimiter", delimiter.is_some()),
            ("--decimal", decimal.is_some()),
            ("--comment", comment.is_some()),
            ("--skip", skip.is_some()),
            ("--missing", missing.is_some()),
            ("--encoding", encoding.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option).collect()
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() => Ok(byte),
        _ => Err("one character of ASCII, or `tab`".to_string()),
    }
}

fn encoding(name: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| {
        "no encoding is called so; known are those of the web, such as latin1, windows-1252, utf-16le, shift_jis".to_string()
    })
}
