//! Round trips through every format, text against known values, and malformed input of every kind.

mod binary;
mod npy;
mod png;
mod text;
mod whole;

use std::fmt::Debug;
use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use half::f16;
use warpwise_prim::ValueType;

use super::files::{read_file, write_file, write_values};
use super::*;
use crate::array::{Element, Value};
use crate::memory::MemoryPool;

fn pool() -> MemoryPool {
    MemoryPool::new(1 << 28)
}

fn ty(text: &str) -> ExpectedType {
    let name = text.trim_start_matches("[]");
    ExpectedType { elem: ValueType::from_name(name).unwrap(), rank: (text.len() - name.len()) / 2 }
}

fn read(bytes: &[u8]) -> Result<Vec<Value>, FormatError> {
    read_values(Source::bytes("data.in", bytes), None, &pool())
}

fn read_as(bytes: &[u8], types: &[&str]) -> Result<Vec<Value>, FormatError> {
    let types: Vec<_> = types.iter().map(|text| ty(text)).collect();
    read_values(Source::bytes("data.in", bytes), Some(&types), &pool())
}

fn array<T: Element>(shape: &[i64], elements: &[T]) -> Value {
    Value::from_slice(&pool(), shape, elements).unwrap()
}

fn check_scalar<T: Element + Debug>(text: &str, value: T) {
    assert_eq!(read(text.as_bytes()).unwrap(), [Value::from_element(value)], "{text}");
}

/// Checks that reading the input as these types (if empty, as the types it has) fails with the message `expect`.
fn check_error(bytes: impl AsRef<[u8]>, types: &[&str], expect: &str) {
    let bytes = bytes.as_ref();
    let result = if types.is_empty() { read(bytes) } else { read_as(bytes, types) };
    match result {
        Ok(values) => panic!("{} is read as {values:?}", bytes.escape_ascii()),
        Err(error) => assert_eq!(error.to_string(), expect),
    }
}

/// Values of every type and of ranks 0 to 3, ends of ranges and empty arrays among them.
fn samples() -> Vec<Value> {
    vec![
        Value::from_element(true),
        Value::from_element(i64::MIN),
        Value::from_element(f64::NAN),
        Value::from_element(-0.0_f32),
        array(&[2], &[true, false]),
        array(&[1, 2], &[i8::MIN, i8::MAX]),
        array(&[3], &[i16::MIN, 0, i16::MAX]),
        array(&[2, 1], &[i32::MIN, i32::MAX]),
        array(&[2], &[i64::MIN, i64::MAX]),
        array(&[2], &[0, u8::MAX]),
        array(&[2], &[0, u16::MAX]),
        array(&[2], &[0, u32::MAX]),
        array(&[2], &[0, u64::MAX]),
        array(&[4], &[f16::MIN_POSITIVE_SUBNORMAL, f16::MAX, f16::NEG_INFINITY, f16::from_f32(0.1)]),
        array(&[5], &[f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, 0.1, f32::from_bits(1)]),
        array(&[1, 2, 3], &[1e300, -1e-300, f64::NEG_INFINITY, 0.0, -0.0, f64::EPSILON]),
        array::<i32>(&[0], &[]),
        array::<f64>(&[2, 0, 3], &[]),
        array(&[2, 1, 2], &[1_u8, 2, 3, 4]),
    ]
}

#[test]
fn text_and_binary_come_back() {
    let values = samples();
    for binary in [false, true] {
        let mut bytes = Vec::new();
        write_values(&mut bytes, &values, binary).unwrap();
        assert_eq!(read(&bytes).unwrap(), values, "binary: {binary}");
        let types: Vec<_> = values
            .iter()
            .map(|value| ExpectedType { elem: value.element_type(), rank: value.shape().len() })
            .collect();
        let stream = Source::stream("pipe", Trickle(&bytes));
        assert_eq!(read_values(stream, Some(&types), &pool()).unwrap(), values, "binary: {binary}");
    }
}

#[test]
fn text_and_binary_may_be_mixed_and_compressed() {
    let values = samples();
    let mut bytes = b"-- a comment\n".to_vec();
    for (index, value) in values.iter().enumerate() {
        write_values(&mut bytes, std::slice::from_ref(value), index % 2 == 1).unwrap();
    }
    assert_eq!(read(&bytes).unwrap(), values);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&bytes).unwrap();
    let compressed = encoder.finish().unwrap();
    assert_eq!(read(&compressed).unwrap(), values);
    let truncated = read(&compressed[..compressed.len() / 2]).unwrap_err();
    assert!(truncated.to_string().contains("cannot read"), "{truncated}");
}

fn binary(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_binary(&mut bytes, value).unwrap();
    bytes
}

#[test]
fn files_are_told_apart_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let value = array(&[2, 3], &[1_u8, 2, 3, 4, 5, 6]);
    for name in ["a.npy", "a.png", "a.bin", "a.txt"] {
        let path = folder.path().join(name);
        write_file(&path, std::slice::from_ref(&value)).unwrap();
        let renamed = folder.path().join("renamed");
        std::fs::rename(&path, &renamed).unwrap();
        assert_eq!(
            read_file(&renamed, Some(&[ty("[][]u8")]), &pool()).unwrap(),
            std::slice::from_ref(&value),
            "{name}"
        );
        assert!(read_file(&renamed, Some(&[ty("[]f32")]), &pool()).is_err(), "{name}");
        assert!(read_file(&renamed, Some(&[ty("[][]u8"), ty("[][]u8")]), &pool()).is_err(), "{name}");
    }
    let missing = read_file(&folder.path().join("none"), None, &pool()).unwrap_err().to_string();
    assert!(missing.contains("none: cannot read: "), "{missing}");
    let unwritable = write_file(&folder.path().join("no/such/folder"), &[]).unwrap_err().to_string();
    assert!(unwritable.contains("folder: cannot write: "), "{unwritable}");
    assert!(write_file(&folder.path().join("two.npy"), &[value.clone(), value]).is_err());
}

/// Readers return for any input: some bytes of valid files are changed, dropped and doubled.
#[test]
fn damaged_files_never_panic() {
    let mut files = Vec::new();
    for binary in [false, true] {
        let mut bytes = Vec::new();
        write_values(&mut bytes, &samples(), binary).unwrap();
        files.push(bytes);
    }
    let mut npy = Vec::new();
    write_npy(&mut npy, &array(&[2, 3], &[1_u16, 2, 3, 4, 5, 6])).unwrap();
    let mut png = Vec::new();
    write_png(&mut png, "a.png", &array(&[2, 3], &[1_u8, 2, 3, 4, 5, 6])).unwrap();
    files.extend([
        npy,
        png,
        b"-- x\n[[1.5e-3f32, 0x1p3f32], [f32.nan, -1_0.0f32]] \"a\\n\" empty([0]u8)".to_vec(),
    ]);
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    let (pool, types) = (MemoryPool::new(1 << 20), [ty("[][]f32"), ty("[]u8")]);
    for round in 0..20_000 {
        let mut bytes = files[round % files.len()].clone();
        for _ in 0..1 + below(3) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes[at] = b"[]-,.0b\"x("[below(10)],
                2 => drop(bytes.drain(at..(at + 1 + below(8)).min(bytes.len()))),
                _ => bytes.insert(at, bytes[below(bytes.len())]),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let source = || Source::stream("damaged", &bytes[..]);
        let messages = [
            read_values(source(), None, &pool).err(),
            read_values(source(), Some(&types), &pool).err(),
            read_npy(source(), None, &pool).err(),
            read_png(source(), None, &pool).err(),
        ];
        for message in messages.into_iter().flatten() {
            assert!(message.to_string().starts_with("damaged:"), "{message}");
        }
    }
}

/// A reader that returns at most three bytes at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.0.len()).min(3);
        self.0.read(&mut buffer[..count])
    }
}
