//! Accelerated expressions in core IR, compared with the host: `tests/lower/*.mc`.
//!
//! A file holds definitions, a line `-- expressions`, and an expression in each line after it. The host computes the expression,
//! and the interpreter of the core IR runs the lowered expression, once as it is and once with sequences in sequences as rows of
//! pools. All must give the same text, or all must fail. The lifted program must give the same on the host, too. A line that ends
//! in `-- limit: TEXT` is refused with TEXT instead. A line that ends in `-- irregular` fails on the device without rows. A line
//! that ends in `-- rows` has rows without being asked for them, and no other line has.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use warpwise_diag::Failure;
use warpwise_interp::{ArrayValue, Value, interpret};
use warpwise_ir::EntryType;
use warpwise_ir::verify::{Level, verify};
use warpwise_mexpr::accelerate::lower::{Checks, NoArrayLanguage, lower};
use warpwise_mexpr::accelerate::{Split, split};
use warpwise_mexpr::compile::Checked;
use warpwise_prim::{Scalar, ValueType};

use common::{check, on_host};

/// Returns the results of the core IR, `None` if the run fails; and whether it has rows.
fn on_device(checked: Checked, rows: bool) -> Result<(Option<String>, bool), Failure> {
    let Split { host, entries, functional, .. } = split(checked)?;
    let rows = if rows { BTreeSet::from([0]) } else { BTreeSet::new() };
    let lowered = lower(&host, &entries, &functional, &NoArrayLanguage, &rows, Checks::default())?;
    let (program, has_rows) = (lowered.program, !lowered.rows.is_empty());
    if let Err(errors) = verify(&program, Level::Soac) {
        let functions: Vec<String> = program.functions.values().map(|f| f.to_string()).collect();
        panic!("{errors:?}\n{}", functions.join("\n"));
    }
    let (id, function) = program.functions.iter().next().expect("an entry point");
    assert!(function.params.is_empty(), "expressions of the corpus are closed");
    let entry = function.entry.as_ref().expect("an entry point");
    let Ok(values) = interpret(&program, id, Vec::new()) else { return Ok((None, has_rows)) };
    let mut leaves = values[entry.size_results..].iter();
    Ok((Some(entry.result_types().map(|ty| value_text(ty, &mut leaves)).collect()), has_rows))
}

/// Returns the text of an element of a sequence with rows, at an index of its arrays.
fn element_text(ty: &EntryType, leaves: &[&ArrayValue], index: usize) -> String {
    match ty {
        EntryType::Scalar(ty) | EntryType::Array(ty, _) => scalar_text(*ty, leaves[0].data[index]),
        EntryType::Opaque { name, fields, .. } if name == "row" => {
            let bound = |leaf: &ArrayValue| leaf.data[index].as_int().unwrap() as usize;
            let start = bound(leaves[0]);
            elements_text(&fields[2].1, &leaves[2..], start..start + bound(leaves[1]))
        }
        EntryType::Opaque { fields, .. } => {
            let mut rest = leaves;
            let field = |(name, ty): &(String, EntryType)| {
                let (own, later) = rest.split_at(ty.leaves().len());
                rest = later;
                (name.clone(), element_text(ty, own, index))
            };
            record_text(fields.iter().map(field).collect())
        }
    }
}

fn elements_text(ty: &EntryType, leaves: &[&ArrayValue], range: Range<usize>) -> String {
    if *ty == EntryType::Array(ValueType::I32, 1) && !range.is_empty() {
        let chars = leaves[0].data[range].iter().filter_map(|c| char::from_u32(c.as_int()? as u32));
        return format!("\"{}\"", chars.collect::<String>());
    }
    let items: Vec<String> = range.map(|index| element_text(ty, leaves, index)).collect();
    format!("[{}]", items.join(", "))
}

fn record_text(parts: Vec<(String, String)>) -> String {
    if parts.is_empty() {
        return "()".to_string();
    }
    if parts[0].0 == "0" {
        let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
        return format!("({})", parts.join(", "));
    }
    let parts: Vec<String> = parts.into_iter().map(|(name, text)| format!("{name} = {text}")).collect();
    format!("{{{}}}", parts.join(", "))
}

fn value_text(ty: &EntryType, leaves: &mut dyn Iterator<Item = &Value>) -> String {
    match ty {
        EntryType::Scalar(ty) => scalar_text(*ty, leaves.next().unwrap().as_scalar().unwrap()),
        EntryType::Array(ty, _) => {
            let array = leaves.next().unwrap().as_array().unwrap();
            array_text(*ty, &array.shape, &array.data)
        }
        EntryType::Opaque { name, fields, .. } if name == "rows" => {
            let arrays = leaves.take(ty.leaves().len()).map(|leaf| leaf.as_array().unwrap());
            let arrays: Vec<&ArrayValue> = arrays.collect();
            elements_text(&fields[0].1, &arrays, 0..arrays[0].data.len())
        }
        EntryType::Opaque { fields, .. } => {
            record_text(fields.iter().map(|(name, ty)| (name.clone(), value_text(ty, leaves))).collect())
        }
    }
}

fn array_text(ty: ValueType, shape: &[usize], data: &[Scalar]) -> String {
    let Some((n, rest)) = shape.split_first() else { return scalar_text(ty, data[0]) };
    let size: usize = rest.iter().product();
    let items = (0..*n).map(|i| array_text(ty, rest, &data[i * size..(i + 1) * size]));
    if ty == ValueType::I32 && rest.is_empty() && *n > 0 {
        let chars = data.iter().filter_map(|c| char::from_u32(c.as_int()? as u32));
        return format!("\"{}\"", chars.collect::<String>());
    }
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn scalar_text(ty: ValueType, value: Scalar) -> String {
    match value {
        Scalar::F64(value) => format!("{value:?}").trim_end_matches('0').to_string(),
        Scalar::Bool(value) => value.to_string(),
        Scalar::I32(value) if ty == ValueType::I32 => {
            format!("'{}'", char::from_u32(value as u32).unwrap())
        }
        other => other.as_int().map_or_else(String::new, |value| value.to_string()),
    }
}

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 3, "the corpus is missing");
    let complaints: Vec<String> = paths.iter().flat_map(|path| check_file(path)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let (definitions, expressions) = text.split_once("-- expressions\n").expect("a line `-- expressions`");
    let lines = expressions.lines().filter(|line| !line.is_empty() && !line.starts_with("--"));
    lines
        .filter_map(|line| {
            let complaint = check_line(definitions, line).err()?;
            Some(format!("{}: {line}: {complaint}", path.file_name().unwrap().to_string_lossy()))
        })
        .collect()
}

fn check_line(definitions: &str, line: &str) -> Result<(), String> {
    let (line, mark) = match line.split_once("-- irregular").or(line.split_once("-- rows")) {
        Some((rest, _)) => (rest, line[rest.len()..].trim_end()),
        None => (line, ""),
    };
    let (expression, limit) = match line.split_once("-- limit: ") {
        Some((expression, limit)) => (expression, Some(limit)),
        None => (line, None),
    };
    let program = check(format!("{definitions}\nmexpr dprint (accelerate ({expression}))"));
    let program = program.map_err(|failure| format!("{failure:?}"))?;
    let device = match (on_device(program.clone(), false), limit) {
        (Err(failure), Some(limit)) if format!("{failure:?}").contains(limit) => return Ok(()),
        (Ok(_), Some(limit)) => return Err(format!("not refused: {limit}")),
        (Err(failure), _) => return Err(format!("{failure:?}")),
        (Ok((_, has_rows)), None) if has_rows != (mark == "-- rows") => {
            return Err(format!("rows where none are needed, or none: {has_rows}"));
        }
        (Ok((device, _)), None) => device,
    };
    let rows = on_device(program.clone(), true).map_err(|failure| format!("with rows: {failure:?}"))?.0;
    let host = on_host(&program);
    let lifted = on_host(&split(program).map_err(|failure| format!("{failure:?}"))?.host);
    let device_is_right = if mark == "-- irregular" { device.is_none() } else { device == host };
    if host == lifted && device_is_right && rows == host {
        return Ok(());
    }
    Err(format!("host {host:?}, lifted {lifted:?}, device {device:?}, with rows {rows:?}"))
}
