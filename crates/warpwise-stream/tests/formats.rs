//! Files of every format: whole ones come back, damaged ones are errors that keep what comes before the damage.

use std::io::Write;
use std::path::Path;

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, Value};
use warpwise_runtime::formats::{binary_header, npy_header};
use warpwise_runtime::memory::MemoryPool;
use warpwise_stream::ElementType;
use warpwise_stream::sink::{OutputFormat, create};
use warpwise_stream::source::{Encoding, End, Format, SourceOptions, TableStyle, Wanted, open};

/// Reads a file three elements at a time and returns the elements' bytes and the error that ended it.
fn read(path: &Path, wanted: Wanted, options: &SourceOptions) -> Result<(Vec<u8>, Option<String>), String> {
    let mut source = open(path, wanted, options)?;
    let size = source.element().bytes().unwrap() as usize;
    let mut all = Vec::new();
    loop {
        let mut target = vec![0; 3 * size];
        let read = source.read(3, &mut target);
        all.extend_from_slice(&target[..read.count as usize * size]);
        match read.end {
            None => assert_eq!(read.count, 3),
            Some(End::Finished) => return Ok((all, None)),
            Some(End::Failed(message)) => return Ok((all, Some(message))),
        }
    }
}

fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, contents).unwrap();
    (folder, path)
}

fn scalars(scalar: ValueType) -> Wanted {
    Wanted { scalar, rank: 0 }
}

fn column(name: &str) -> SourceOptions {
    SourceOptions { column: Some(name.to_string()), ..SourceOptions::default() }
}

fn words(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn binary() -> Vec<u8> {
    let mut file = binary_header(ValueType::I32, &[7]).unwrap();
    file.extend((0..7_i32).flat_map(i32::to_le_bytes));
    file
}

fn npy() -> Vec<u8> {
    let mut file = npy_header(ValueType::I32, &[7], &[7]);
    (0..7_i32).for_each(|x| file.extend(x.to_le_bytes()));
    file
}

fn gzip(contents: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

fn wav() -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    let (sample_rate, sample_format) = (8000, hound::SampleFormat::Int);
    let spec = hound::WavSpec { channels: 1, sample_rate, bits_per_sample: 32, sample_format };
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    (0..7_i32).for_each(|x| writer.write_sample(x).unwrap());
    writer.finalize().unwrap();
    file.into_inner()
}

const CSV: &[u8] = b"name,x\na,0\n\"b,c\",1\nd, 2\ne,3\nf,4\ng,5\nh,6\n";
const MATRIX: &[u8] = b"%%MatrixMarket matrix coordinate integer general\n% a comment\n3 4 7\n\
    1 1 0\n1 2 1\n1 3 2\n2 2 3\n\n3 1 4\n3 3 5\n3 4 6\n";

/// Returns the contents that a sink writes for 0 to 6.
fn written(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut sink = create(&path, None).unwrap();
    sink.begin(&ElementType { scalar: ValueType::I32, shape: Shape::new() }).unwrap();
    sink.write(&Array::from_elements(&MemoryPool::new(1 << 20), 0..7_i32).unwrap()).unwrap();
    sink.finish().unwrap();
    std::fs::read(path).unwrap()
}

/// Returns one file of each format with the numbers 0 to 6 as i32.
fn all_formats() -> Vec<(&'static str, Vec<u8>, SourceOptions)> {
    let raw: Vec<u8> = (0..7_i32).flat_map(i32::to_le_bytes).collect();
    vec![
        ("a.raw", raw.clone(), SourceOptions::default()),
        ("a.raw.gz", gzip(&raw), SourceOptions::default()),
        ("a.npy", npy(), SourceOptions::default()),
        ("a.bin", binary(), SourceOptions::default()),
        ("a.npy.gz", gzip(&npy()), SourceOptions::default()),
        ("a.bin.gz", gzip(&binary()), SourceOptions::default()),
        ("a.csv", CSV.to_vec(), column("x")),
        ("a.tsv", CSV.iter().map(|&b| if b == b',' { b'\t' } else { b }).collect(), column("x")),
        ("a.csv.gz", gzip(CSV), column("x")),
        ("a.mtx", MATRIX.to_vec(), SourceOptions::default()),
        ("a.wav", wav(), SourceOptions::default()),
        ("a.arrow", written("a.arrow"), SourceOptions::default()),
        ("a.arrow.gz", gzip(&written("a.arrow")), SourceOptions::default()),
        ("a.parquet", written("a.parquet"), SourceOptions::default()),
    ]
}

#[test]
fn whole_files_come_back() {
    for (name, contents, options) in all_formats() {
        let (_folder, path) = file(name, &contents);
        for unmapped in [false, true] {
            let options = SourceOptions { unmapped, ..options.clone() };
            let (bytes, error) = read(&path, scalars(ValueType::I32), &options).unwrap();
            assert_eq!((words(&bytes), error), ((0..7).collect(), None), "{name}");
        }
    }
}

#[test]
fn both_indices_are_checked_whichever_column_is_read() {
    let options =
        |name: Option<&str>| SourceOptions { column: name.map(str::to_string), ..SourceOptions::default() };
    for (entry, wrong) in [
        ("1 1 7", None),
        ("0 1 7", Some("line 4: an index lies outside the matrix")),
        ("3 1 7", Some("line 4: an index lies outside the matrix")),
        ("1 5 7", Some("line 4: an index lies outside the matrix")),
        ("1 x 7", Some("line 4: an index lies outside the matrix")),
        ("99999999999999999999 1 7", Some("line 4: an index lies outside the matrix")),
        ("1", Some("line 4: the line ends early")),
    ] {
        let text = format!("%%MatrixMarket matrix coordinate integer general\n2 4 2\n2 4 7\n{entry}\n");
        let (_folder, path) = file("a.mtx", text.as_bytes());
        for column in [None, Some("row"), Some("column"), Some("value")] {
            let (bytes, error) = read(&path, scalars(ValueType::I64), &options(column)).unwrap();
            assert_eq!(error.as_deref(), wrong, "{entry} {column:?}");
            assert_eq!(bytes.len(), if wrong.is_some() { 8 } else { 16 });
        }
    }
}

#[test]
fn rows_without_bytes_are_counted_with_care() {
    let claimed = |rows: i64| npy_header(ValueType::F64, &[rows, 0], &[rows, 0]);
    let wanted = Wanted { scalar: ValueType::F64, rank: 1 };
    for (rows, fine) in [(0, true), (1000, true), (1 << 24, true), ((1 << 24) + 1, false), (1 << 62, false)] {
        let binary = binary_header(ValueType::F64, &[rows, 0]).unwrap();
        for (name, contents) in [("a.npy", claimed(rows)), ("a.bin", binary)] {
            let (_folder, path) = file(name, &contents);
            for unmapped in [false, true] {
                let opened = open(&path, wanted, &SourceOptions { unmapped, ..SourceOptions::default() });
                match opened {
                    Ok(source) => assert!(fine && source.left() == Some(rows as u64), "{name} {rows}"),
                    Err(message) => {
                        assert!(!fine && message.contains("have no bytes"), "{name} {rows}: {message}")
                    }
                }
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_start() {
    for (name, contents, options) in all_formats() {
        for length in 0..contents.len() {
            let (_folder, path) = file(name, &contents[..length]);
            let Ok((bytes, error)) = read(&path, scalars(ValueType::I32), &options) else { continue };
            let found = words(&bytes);
            let expected: Vec<i32> = (0..found.len() as i32).collect();
            assert_eq!(found, expected, "{name} cut at {length}");
            // Only formats that do not state their length may end anywhere: raw data between elements, and text.
            let silent = match name {
                "a.raw" => length % 4 == 0,
                "a.csv" | "a.tsv" => true,
                "a.mtx" => found.len() == 7,
                _ => false,
            };
            assert!(error.is_some() || silent, "{name} cut at {length}: {found:?}");
        }
    }
}

#[test]
fn a_file_with_any_byte_changed_is_no_crash() {
    for (name, contents, options) in all_formats() {
        for place in 0..contents.len() {
            for change in [0xff, 0x01, 0x80] {
                let mut damaged = contents.clone();
                damaged[place] ^= change;
                let (_folder, path) = file(name, &damaged);
                if let Ok((bytes, error)) = read(&path, scalars(ValueType::I32), &options) {
                    // Compressed data may have become longer before the checksum reveals the damage.
                    assert!(error.is_some() || bytes.len() <= 4 * 7, "{name} with another byte {place}");
                }
            }
        }
    }
}

#[test]
fn samples_of_several_channels_come_with_nothing_that_follows_them() {
    for (bits, scalar) in [(16, ValueType::I16), (24, ValueType::I32), (32, ValueType::I32)] {
        let mut contents = std::io::Cursor::new(Vec::new());
        let sample_format = hound::SampleFormat::Int;
        let spec = hound::WavSpec { channels: 2, sample_rate: 8000, bits_per_sample: bits, sample_format };
        let mut writer = hound::WavWriter::new(&mut contents, spec).unwrap();
        (-5..5_i32).for_each(|x| writer.write_sample(x).unwrap());
        writer.finalize().unwrap();
        let mut contents = contents.into_inner();
        contents.extend(b"LIST\x04\0\0\0INFO");
        let (_folder, path) = file("a.wav", &contents);
        let found = [false, true].map(|unmapped| {
            let options = SourceOptions { unmapped, ..SourceOptions::default() };
            read(&path, Wanted { scalar, rank: 1 }, &options).unwrap()
        });
        let width = if bits == 16 { 2 } else { 4 };
        let expected: Vec<u8> = (-5..5_i32).flat_map(|x| x.to_le_bytes()[..width].to_vec()).collect();
        assert_eq!(found, [(expected.clone(), None), (expected, None)], "{bits} bits");
    }
}

#[test]
fn rows_columns_and_coordinates() {
    let (_folder, path) = file("a.csv", b"1,2\n3,4\n5,6\n");
    let options = SourceOptions { no_header: true, ..SourceOptions::default() };
    let pairs = Wanted { scalar: ValueType::I32, rank: 1 };
    assert_eq!(words(&read(&path, pairs, &options).unwrap().0), [1, 2, 3, 4, 5, 6]);
    let second = SourceOptions { column: Some("1".to_string()), ..options.clone() };
    assert_eq!(words(&read(&path, scalars(ValueType::I32), &second).unwrap().0), [2, 4, 6]);
    let (_folder, path) = file("a.mtx", MATRIX);
    let index = |name: &str| {
        let (bytes, error) = read(&path, scalars(ValueType::I64), &column(name)).unwrap();
        assert_eq!(error, None);
        bytes.chunks_exact(8).map(|word| word[0]).collect::<Vec<u8>>()
    };
    assert_eq!(index("row"), [0, 0, 0, 1, 2, 2, 2]);
    assert_eq!(index("column"), [0, 1, 2, 1, 0, 2, 3]);
}

#[test]
fn what_does_not_fit_says_why() {
    let cases: &[(&str, &[u8], ValueType, SourceOptions, &str)] = &[
        ("a.npy", &npy(), ValueType::F32, SourceOptions::default(), "type i32, but f32 is expected"),
        ("a.csv", CSV, ValueType::I32, column("y"), "no column `y`; there are: name, x"),
        ("a.csv", CSV, ValueType::I32, SourceOptions::default(), "which column?"),
        ("a.raw", b"", ValueType::I32, column("x"), "has no columns"),
        ("a.what", b"", ValueType::I32, SourceOptions::default(), "what format"),
        (
            "a.mtx",
            b"%%MatrixMarket matrix array real symmetric\n",
            ValueType::F64,
            column("value"),
            "symmetric",
        ),
        ("a.mtx", MATRIX, ValueType::I32, column("row"), "of type i64"),
    ];
    for (name, contents, scalar, options, expected) in cases {
        let (_folder, path) = file(name, contents);
        let error = read(&path, scalars(*scalar), options).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    for (text, expected) in [
        ("x\n1\nz\n", "line 3: `z` is no i32"),
        ("x,y\n1,2\n3\n", "line 3: 1 field, but there were 2 in the lines before"),
        ("x\n1\n99999999999\n", "`99999999999` is no i32"),
    ] {
        let (_folder, path) = file("a.csv", text.as_bytes());
        let (bytes, error) = read(&path, scalars(ValueType::I32), &column("x")).unwrap();
        assert_eq!(words(&bytes), [1], "{text}");
        assert!(error.as_ref().unwrap().contains(expected), "{error:?}");
    }
}

/// Reads a column of a table and returns its floats, the error after them if there is one, and the notes.
fn table(text: &[u8], options: &SourceOptions) -> (Vec<f64>, Option<String>, Vec<String>) {
    let (folder, path) = file("a.csv", text);
    let told = |text: String| text.replace(&format!("{}/", folder.path().display()), "");
    let (bytes, error) = match read(&path, scalars(ValueType::F64), options) {
        Ok(read) => read,
        Err(error) => (Vec::new(), Some(error)),
    };
    let floats = bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()));
    (floats.collect(), error.map(told), options.notes.take().into_iter().map(told).collect())
}

#[test]
fn tables_are_read_as_people_write_them() {
    let style =
        |table: TableStyle| SourceOptions { column: Some("y".to_string()), table, ..Default::default() };
    let german = || TableStyle { decimal: Some(','), ..Default::default() };
    assert_eq!(table(b"x;y\r\n1;2,5\r\n", &style(german())).0, [2.5]);
    let pipes = TableStyle { separator: Some(b'|'), comment: Some(b'#'), ..Default::default() };
    assert_eq!(table(b"#head\nx|y\n1|2\n\n#3|4\n5|6\n", &style(pipes)), (vec![2.0, 6.0], None, vec![]));
    let missing = TableStyle { missing: Some("-1".to_string()), ..Default::default() };
    assert_eq!(table(b"x,y\n1,2\n3,\n5, \n", &style(missing)).0, [2.0, -1.0, -1.0]);
    let encoding = Encoding::for_label(b"utf-16be");
    let utf16: Vec<u8> = "y\n7\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(table(&utf16, &style(TableStyle { encoding, ..Default::default() })).0, [7.0]);
    let marked = [b"\xfe\xff".as_slice(), &utf16].concat();
    assert_eq!(table(&marked, &style(TableStyle::default())).0, [7.0]);
    assert_eq!(table(b"\xef\xbb\xbfy\n8\n", &style(TableStyle::default())).0, [8.0]);
}

#[test]
fn what_is_odd_about_a_table_is_said() {
    let notes = |text: &[u8]| table(text, &column("y")).2;
    assert_eq!(notes(b"y\n1\n2\n"), [""; 0]);
    assert_eq!(notes(b"y\n1\n\n2\n"), ["a.csv: line 3 is blank, and is no element"]);
    assert_eq!(notes(b"y\r\n1\r\n\r\n2\r\n"), ["a.csv: line 3 is blank, and is no element"]);
    let two = "a.csv: 2 lines are blank, from line 4 on, and are no elements";
    assert_eq!(notes(b"x,y\n\"a\nb\",1\n\n\n2,3"), [two]);
    let plain = SourceOptions::default();
    let header = "a.csv: the first line, `1`, is taken for the names of the columns; --no-header says that it holds none";
    assert_eq!(table(b"1\n2\n", &plain), (vec![2.0], None, vec![header.to_string()]));
    let error = |text: &[u8], options: &SourceOptions| table(text, options).1.unwrap();
    let twice =
        "a.csv: the columns 0 and 2 (from 0) are both called `y`; with --no-header, columns have numbers";
    assert_eq!(error(b"y,x,y\n1,2,3\n", &column("y")), twice);
    let empty = "line 3: a cell is empty; --missing VALUE says what empty cells stand for (column `y`)";
    assert_eq!(error(b"x,y\r\n1,2\r\n3,\r\n", &column("y")), empty);
    assert_eq!(error(b"x,y\r\n\r\n1,z\r\n", &column("y")), "line 3: `z` is no f64 (column `y`)");
    assert_eq!(
        error(b"x,y\n1,2\n3,4,5\n", &column("y")),
        "line 3: 3 fields, but there were 2 in the lines before"
    );
    let no_text = "line 2: this is no UTF-8; --encoding NAME says how characters are written";
    assert_eq!(error(b"x,y\n\xf6,2\n", &column("y")), no_text);
    let german = TableStyle { decimal: Some(','), ..Default::default() };
    let point = "line 2: `1.5` has a point, but `,` was said to stand before fractions";
    assert_eq!(error(b"y\n1.5\n", &SourceOptions { table: german, ..Default::default() }), point);
}

#[test]
fn a_line_without_end_is_an_error() {
    let (_folder, path) = file("a.csv", &[b"x\n1\n".to_vec(), vec![b'7'; 20 << 20]].concat());
    let (bytes, error) = read(&path, scalars(ValueType::I32), &column("x")).unwrap();
    assert_eq!(words(&bytes), [1]);
    assert!(error.unwrap().contains("a line has more than"));
}

#[test]
fn what_is_written_is_read_again() {
    let memory = MemoryPool::new(1 << 20);
    let element = ElementType { scalar: ValueType::I32, shape: Shape::new() };
    let formats = [
        ("a.npy", Format::Npy),
        ("a.bin", Format::Binary),
        ("a.raw", Format::Raw),
        ("a.csv", Format::Csv),
        ("a.arrow", Format::Arrow),
        ("a.parquet", Format::Parquet),
    ];
    for (name, format) in formats {
        for pieces in [&[][..], &[0], &[1], &[3, 0, 2, 100]] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            let mut sink = create(&path, None).unwrap();
            sink.begin(&element).unwrap();
            let mut next = 0;
            for &piece in pieces {
                let value = Array::from_elements(&memory, next..next + piece).unwrap();
                sink.write(&value).unwrap();
                next += piece;
            }
            sink.finish().unwrap();
            let options = SourceOptions { format: Some(format), no_header: true, ..SourceOptions::default() };
            let (bytes, error) = read(&path, scalars(ValueType::I32), &options).unwrap();
            assert_eq!((words(&bytes), error), ((0..next).collect(), None), "{name} {pieces:?}");
        }
    }
}

#[test]
fn floats_and_booleans_survive_text() {
    let memory = MemoryPool::new(1 << 20);
    let numbers = [0.1_f64, -0.0, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1.0 / 3.0];
    let array = Array::from_slice(&memory, &[7], &numbers).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut sink = create(&path, None).unwrap();
    sink.begin(&ElementType { scalar: ValueType::F64, shape: Shape::new() }).unwrap();
    sink.write(&array).unwrap();
    sink.finish().unwrap();
    let options = SourceOptions { no_header: true, ..SourceOptions::default() };
    let (bytes, _) = read(&path, scalars(ValueType::F64), &options).unwrap();
    assert_eq!(bytes, array.bytes());
    let (_folder, path) = file("b.csv", b"x\ntrue\n0\nfalse\n");
    assert_eq!(read(&path, scalars(ValueType::Bool), &column("x")).unwrap().0, [1, 0, 0]);
    let (_folder, path) = file("b.raw", &[1, 0, 2]);
    let (bytes, error) = read(&path, scalars(ValueType::Bool), &SourceOptions::default()).unwrap();
    assert_eq!((bytes, error.unwrap()), (vec![1, 0], "2 is no truth value".to_string()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let memory = MemoryPool::new(1 << 24);
    let formats = [
        OutputFormat::Npy,
        OutputFormat::Binary,
        OutputFormat::Raw,
        OutputFormat::Csv,
        OutputFormat::Arrow,
        OutputFormat::Parquet,
    ];
    for format in formats {
        let mut sink = create(Path::new("/dev/full"), Some(format)).unwrap();
        let element = ElementType { scalar: ValueType::I32, shape: Shape::new() };
        let value = Value::array(ValueType::I32, Array::from_elements(&memory, 0..100_000_i32).unwrap());
        let Value::Array { array, .. } = &value else { panic!("an array") };
        let written = sink.begin(&element).and_then(|()| sink.write(array).map(|_| ()));
        let error = written.and(sink.finish()).unwrap_err();
        assert!(error.contains("No space left"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_mapped_file_that_becomes_shorter_is_an_error() {
    let raw: Vec<u8> = (0..10_000_i32).flat_map(i32::to_le_bytes).collect();
    let (_folder, path) = file("a.raw", &raw);
    let mut source = open(&path, scalars(ValueType::I32), &SourceOptions::default()).unwrap();
    let mut target = vec![0; 4096];
    assert_eq!(source.read(1024, &mut target).count, 1024);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(8192).unwrap();
    assert_eq!(source.read(1024, &mut target).count, 1024);
    let read = source.read(1024, &mut target);
    assert!(matches!(&read.end, Some(End::Failed(message)) if message.contains("shorter")), "{read:?}");
}

#[test]
fn files_that_were_just_written_are_ready_if_they_are_mapped() {
    for bytes in [0, 8, 8 << 20] {
        let (_folder, path) = file("a.raw", &vec![1; bytes]);
        let ready = [false, true].map(|unmapped| {
            let options = SourceOptions { unmapped, ..SourceOptions::default() };
            open(&path, scalars(ValueType::I64), &options).unwrap().is_ready()
        });
        // An empty file cannot be mapped.
        assert_eq!(ready, [bytes > 0, false]);
    }
}

#[test]
fn elements_of_mapped_files_are_used_where_they_lie() {
    let raw: Vec<u8> = (0..10_000_i32).flat_map(i32::to_le_bytes).collect();
    let (_folder, path) = file("a.raw", &raw);
    let mut source = open(&path, scalars(ValueType::I32), &SourceOptions::default()).unwrap();
    let place = source.in_place().unwrap();
    assert_eq!(place.grain(), 16);
    assert!(place.holds(32) && place.holds(33) && place.holds(20_000));
    let mut first = place.view(32).unwrap();
    let rest = place.view(20_000).unwrap();
    assert_eq!((first.read.count, first.read.end.clone()), (32, None));
    assert_eq!((rest.read.count, rest.read.end.clone()), (9968, Some(End::Finished)));
    assert_eq!([first.block.as_slice(), rest.block.as_slice()].concat(), raw);
    // The sole owner of a block may write to it; neither the file nor neighbouring blocks see that.
    std::sync::Arc::get_mut(&mut first.block).unwrap().as_mut_slice().fill(0xff);
    assert_eq!(rest.block.as_slice(), &raw[128..]);
    assert_eq!(std::fs::read(&path).unwrap(), raw);
    drop(rest);
    assert!(first.block.as_slice().iter().all(|&byte| byte == 0xff));
    // Blocks that do not begin and end at whole vectors are read-only.
    let mut source = open(&path, scalars(ValueType::I32), &SourceOptions::default()).unwrap();
    let place = source.in_place().unwrap();
    let parts = [33, 31, 16].map(|count| place.view(count).unwrap().block);
    assert_eq!(parts.each_ref().map(|part| part.is_part()), [true, true, false]);
    assert_eq!(parts.map(|part| part.as_slice().to_vec()).concat(), raw[..320]);
    // Misaligned scalars are not used in place.
    let header = b"\x93NUMPY\x01\x00\x38\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}\n";
    let (_folder, odd) = file("odd.npy", &[&header[..], &raw[4..8]].concat());
    let mut source = open(&odd, scalars(ValueType::I32), &SourceOptions::default()).unwrap();
    assert!(source.in_place().is_none_or(|place| !place.holds(1)));
    let mut number = [0; 4];
    assert_eq!((source.read(1, &mut number).count, number), (1, [1, 0, 0, 0]));
}
