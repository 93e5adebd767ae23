//! Columns of Arrow and Parquet files, as other programs write them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int16Type};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, FixedSizeListArray, Int64Array, ListArray, RecordBatch, StringArray,
    UInt8Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, Schema};
use parquet::basic::{BrotliLevel, Compression, ZstdLevel};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use tempfile::TempDir;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape};
use warpwise_runtime::memory::MemoryPool;
use warpwise_stream::ElementType;
use warpwise_stream::sink::create;
use warpwise_stream::source::{End, SourceOptions, TableStyle, Wanted, open};

/// Result of reading a column two elements at a time: the bytes, the shape of an element, and the error that ended it.
type Found = (Vec<u8>, Vec<i64>, Option<String>);

fn read(path: &Path, column: &str, scalar: ValueType, rank: usize) -> Result<Found, String> {
    read_with(path, column, Wanted { scalar, rank }, None)
}

/// Reads a column whose null numbers are `missing`.
fn read_with(path: &Path, column: &str, wanted: Wanted, missing: Option<&str>) -> Result<Found, String> {
    let column = Some(column.to_string()).filter(|column| !column.is_empty());
    let table = TableStyle { missing: missing.map(str::to_string), ..TableStyle::default() };
    let options = SourceOptions { column, table, ..SourceOptions::default() };
    let mut source = open(path, wanted, &options)?;
    let shape = source.element().shape.to_vec();
    let size = source.element().bytes().unwrap() as usize;
    let mut all = Vec::new();
    loop {
        let mut target = vec![0; 2 * size];
        let read = source.read(2, &mut target);
        all.extend_from_slice(&target[..read.count as usize * size]);
        match read.end {
            None => assert_eq!(read.count, 2),
            Some(End::Finished) => return Ok((all, shape, None)),
            Some(End::Failed(message)) => return Ok((all, shape, Some(message))),
        }
    }
}

/// The error of the first null in the column `holes`.
const NULL: &str =
    "row 1 of column `holes` is null, or holds a null; --missing VALUE says what null numbers stand for";

fn i64s(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn table() -> Vec<(&'static str, ArrayRef)> {
    let lists = vec![Some(vec![Some(1.5), Some(2.5)]), Some(vec![]), Some(vec![Some(3.5)])];
    let pairs = (1..4).map(|x| Some(vec![Some(x), Some(-x)]));
    vec![
        ("name", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
        ("x", Arc::new(Int64Array::from(vec![10, 20, 30]))),
        ("small", Arc::new(UInt8Array::from(vec![1, 2, 255]))),
        ("flag", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("holes", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists))),
        ("pairs", Arc::new(FixedSizeListArray::from_iter_primitive::<Int16Type, _, _>(pairs, 2))),
    ]
}

fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.iter().map(|(_, array)| array.clone()).collect()).unwrap()
}

/// Writes Arrow files of two batches of the table: uncompressed, compressed, and a stream.
fn arrow_files() -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch(&table());
    let mut paths = Vec::new();
    for (name, compression) in [
        ("a.arrow", None),
        ("b.feather", Some(CompressionType::LZ4_FRAME)),
        ("c.arrow", Some(CompressionType::ZSTD)),
    ] {
        let path = folder.path().join(name);
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        paths.push(path);
    }
    let path = folder.path().join("d.arrows");
    let mut writer = StreamWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    paths.push(path);
    (folder, paths)
}

#[test]
fn columns_of_arrow_files_come_by_name() {
    let (_folder, paths) = arrow_files();
    for path in paths {
        let (bytes, _, error) = read(&path, "x", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error), (vec![10, 20, 30, 10, 20, 30], None), "{path:?}");
        assert_eq!(read(&path, "small", ValueType::U8, 0).unwrap().0, [1, 2, 255, 1, 2, 255]);
        assert_eq!(read(&path, "flag", ValueType::Bool, 0).unwrap().0, [1, 0, 1, 1, 0, 1]);
        let (bytes, shape, _) = read(&path, "pairs", ValueType::I16, 1).unwrap();
        assert_eq!((bytes.len(), shape), (24, vec![2]));
        assert_eq!(bytes[..8], [1, 0, 255, 255, 2, 0, 254, 255]);
        let refused = |column: &str, rank| read(&path, column, ValueType::I64, rank).unwrap_err();
        assert!(refused("y", 0).contains("no column `y`; there are: name, x"));
        assert!(refused("", 0).contains("which column?"));
        assert!(refused("name", 0).contains("not numbers"));
        assert!(refused("small", 0).contains("type u8, but i64 is expected"));
        assert!(refused("x.length", 0).contains("has no lists"));
        assert!(refused("x", 1).contains("type i64, but []i64 is expected"));
    }
}

#[test]
fn lists_of_any_length_are_two_streams() {
    let (_folder, paths) = arrow_files();
    for path in paths {
        let (bytes, _, error) = read(&path, "lists", ValueType::F64, 0).unwrap();
        let numbers: Vec<u8> =
            [1.5_f64, 2.5, 3.5, 1.5, 2.5, 3.5].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!((bytes, error), (numbers, None));
        let (bytes, _, error) = read(&path, "lists.length", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error), (vec![2, 0, 1, 2, 0, 1], None));
        let (bytes, shape, error) = read(&path, "lists", ValueType::F64, 1).unwrap();
        assert_eq!((bytes.len(), shape), (16, vec![2]));
        assert_eq!(error.unwrap(), "row 1 of column `lists` has 0 numbers, those before 2");
    }
}

#[test]
fn a_null_names_its_row_and_column() {
    let (_folder, paths) = arrow_files();
    for path in paths {
        let (bytes, _, error) = read(&path, "holes", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error.unwrap().as_str()), (vec![1], NULL));
    }
}

#[test]
fn null_numbers_become_the_missing_value() {
    let (_folder, mut paths) = arrow_files();
    let (_other, parquet) = parquet_file(Compression::UNCOMPRESSED);
    paths.push(parquet.clone());
    let wanted = Wanted { scalar: ValueType::I64, rank: 0 };
    for path in paths {
        let (bytes, _, error) = read_with(&path, "holes", wanted, Some("-7")).unwrap();
        assert_eq!((i64s(&bytes), error), (vec![1, -7, 3, 1, -7, 3], None), "{path:?}");
        let wrong = read_with(&path, "holes", wanted, Some("none")).unwrap_err();
        assert!(wrong.contains("--missing: `none` is no i64"), "{wrong}");
        let (bytes, ..) = read_with(&path, "x", wanted, Some("-7")).unwrap();
        assert_eq!(i64s(&bytes), [10, 20, 30, 10, 20, 30]);
    }
    // A list without elements stays one.
    let (bytes, _, error) = read_with(&parquet, "lists", wanted, Some("-7")).unwrap();
    assert_eq!((i64s(&bytes), error), (vec![5, 6, 7, 5, 6, 7], None));
}

/// Writes a Parquet file of two groups of rows: numbers, numbers with nulls, lists.
fn parquet_file(compression: Compression) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let schema = "message m {
        required int64 x;
        optional int64 holes;
        required int32 small (UINT_8);
        optional group lists (LIST) { repeated group list { optional int64 element; } }
        required group inner { required int32 a; required int32 b; }
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = |write: &dyn Fn(&mut SerializedColumnWriter) -> usize| {
            let mut column = group.next_column().unwrap().unwrap();
            assert!(write(&mut column) > 0);
            column.close().unwrap();
        };
        column(&|column| column.typed::<Int64Type>().write_batch(&[10, 20, 30], None, None).unwrap());
        column(&|column| column.typed::<Int64Type>().write_batch(&[1, 3], Some(&[1, 0, 1]), None).unwrap());
        column(&|column| column.typed::<Int32Type>().write_batch(&[1, 2, 255], None, None).unwrap());
        column(&|column| {
            let written = column.typed::<Int64Type>();
            written.write_batch(&[5, 6, 7], Some(&[3, 3, 1, 3]), Some(&[0, 1, 0, 0])).unwrap()
        });
        for values in [[1, 2, 3], [4, 5, 6]] {
            column(&|column| column.typed::<Int32Type>().write_batch(&values, None, None).unwrap());
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    (folder, path)
}

#[test]
fn columns_of_parquet_files_come_by_name() {
    let compressions = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ];
    for compression in compressions {
        let (_folder, path) = parquet_file(compression);
        let (bytes, _, error) = read(&path, "x", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error), (vec![10, 20, 30, 10, 20, 30], None));
        assert_eq!(read(&path, "small", ValueType::U8, 0).unwrap().0, [1, 2, 255, 1, 2, 255]);
        assert_eq!(read(&path, "inner.b", ValueType::I32, 0).unwrap().0[..4], [4, 0, 0, 0]);
        let (bytes, _, error) = read(&path, "holes", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error.unwrap().as_str()), (vec![1], NULL));
        let (bytes, _, error) = read(&path, "lists", ValueType::I64, 0).unwrap();
        assert_eq!((i64s(&bytes), error), (vec![5, 6, 7, 5, 6, 7], None));
        let (bytes, _, _) = read(&path, "lists.length", ValueType::I64, 0).unwrap();
        assert_eq!(i64s(&bytes), [2, 0, 1, 2, 0, 1]);
        let refused = |column: &str| read(&path, column, ValueType::I64, 0).unwrap_err();
        assert!(refused("inner").contains("no column `inner`"));
        assert!(refused("").contains("which column?"));
    }
}

/// Encoder of a structure in Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    fn header(mut self, field: u8, ty: u8) -> Thrift {
        self.bytes.push((field - self.last) << 4 | ty);
        self.last = field;
        self
    }

    fn number(mut self, value: i64) -> Thrift {
        let mut rest = (value << 1 ^ value >> 63) as u64;
        while rest > 127 {
            self.bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
        self
    }

    fn i32(self, field: u8, value: i32) -> Thrift {
        self.header(field, 5).number(value.into())
    }

    fn i64(self, field: u8, value: i64) -> Thrift {
        self.header(field, 6).number(value)
    }

    /// Adds the encoded bytes of an inner value of type `ty`.
    fn inside(self, field: u8, ty: u8, bytes: &[u8]) -> Thrift {
        let mut this = self.header(field, ty);
        this.bytes.extend_from_slice(bytes);
        this
    }

    /// Adds a list of values of type `ty`.
    fn list(self, field: u8, ty: u8, items: &[Vec<u8>]) -> Thrift {
        let header = [(items.len() as u8) << 4 | ty];
        self.inside(field, 9, &[&header[..], &items.concat()].concat())
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn text(text: &str) -> Vec<u8> {
    [&[text.len() as u8], text.as_bytes()].concat()
}

/// Makes a Parquet file of one page of numbers; `sum` maps the correct checksum to the stored one.
fn parquet_with_sum(numbers: &[i64], sum: impl Fn(u32) -> u32) -> Vec<u8> {
    let page: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let (count, size) = (numbers.len() as i64, page.len() as i32);
    let mut right = flate2::Crc::new();
    right.update(&page);
    // PLAIN encoding, and no levels.
    let data = Thrift::default().i32(1, count as i32).i32(2, 0).i32(3, 3).i32(4, 3).end();
    let header = Thrift::default().i32(1, 0).i32(2, size).i32(3, size).i32(4, sum(right.sum()) as i32);
    let header = header.inside(5, 12, &data).end();
    let chunk = (header.len() + page.len()) as i64;
    let column = Thrift::default().i32(1, 2).list(2, 5, &[vec![0]]).list(3, 8, &[text("value")]).i32(4, 0);
    let column = column.i64(5, count).i64(6, chunk).i64(7, chunk).i64(9, 4).end();
    let column = Thrift::default().i64(2, 4).inside(3, 12, &column).end();
    let group = Thrift::default().list(1, 12, &[column]).i64(2, chunk).i64(3, count).end();
    let root = Thrift::default().inside(4, 8, &text("schema")).i32(5, 1).end();
    let leaf = Thrift::default().i32(1, 2).i32(3, 0).inside(4, 8, &text("value")).end();
    let footer =
        Thrift::default().i32(1, 1).list(2, 12, &[root, leaf]).i64(3, count).list(4, 12, &[group]).end();
    let length = (footer.len() as u32).to_le_bytes();
    [&b"PAR1"[..], &header, &page, &footer, &length, b"PAR1"].concat()
}

#[test]
fn pages_of_parquet_files_have_the_checksums_that_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, parquet_with_sum(&[3, 1, 4, 1, 5], |sum| sum)).unwrap();
    let (bytes, _, error) = read(&path, "value", ValueType::I64, 0).unwrap();
    assert_eq!((i64s(&bytes), error), (vec![3, 1, 4, 1, 5], None));
    std::fs::write(&path, parquet_with_sum(&[3, 1, 4, 1, 5], |sum| sum ^ 1)).unwrap();
    let (bytes, _, error) = read(&path, "value", ValueType::I64, 0).unwrap();
    assert!(bytes.is_empty() && error.as_ref().is_some_and(|error| error.contains("CRC")), "{error:?}");
}

/// Writes batches of one column of zeros, which compress well.
fn zeros(path: &Path, compression: Option<CompressionType>, rows: usize, batches: usize) {
    let batch = batch(&[("x", Arc::new(Int64Array::from(vec![0; rows])) as ArrayRef)]);
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    (0..batches).for_each(|_| writer.write(&batch).unwrap());
    writer.finish().unwrap();
}

#[test]
fn batches_count_in_the_memory_limit() {
    const ROWS: usize = 1 << 17;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    let scalars = Wanted { scalar: ValueType::I64, rank: 0 };
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        zeros(&path, compression, ROWS, 3);
        for (unmapped, limit) in [(false, 1 << 22), (true, 1 << 22), (false, 1 << 19), (true, 1 << 19)] {
            let memory = MemoryPool::new(limit);
            let options =
                SourceOptions { unmapped, memory: Some(memory.clone()), ..SourceOptions::default() };
            let mut source = open(&path, scalars, &options).unwrap();
            let mut target = vec![1; 8 * 3 * ROWS];
            let read = source.read(3 * ROWS as u64, &mut target);
            // Mapped, uncompressed data takes no memory of the pool.
            let counts = unmapped || compression.is_some();
            if counts && limit < 8 * ROWS as u64 {
                let Some(End::Failed(message)) = &read.end else {
                    panic!("{compression:?} {unmapped}: {read:?}")
                };
                assert!(message.contains("out of memory"), "{message}");
                assert_eq!(read.count, 0);
            } else {
                assert_eq!((read.count, read.end), (3 * ROWS as u64, None), "{compression:?} {unmapped}");
                assert!(target.iter().all(|&byte| byte == 0));
            }
            let peak = memory.statistics().peak_live;
            assert!(
                peak <= limit && (peak >= 8 * ROWS as u64) == (counts && limit > 8 * ROWS as u64),
                "{peak}"
            );
            drop(source);
            assert_eq!(memory.statistics().live, 0);
        }
    }
}

#[test]
fn columns_that_are_not_read_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    let texts: Vec<String> = (0..1000).map(|_| "x".repeat(1000)).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("texts", Arc::new(StringArray::from(texts))),
        ("zeros", Arc::new(Int64Array::from(vec![0; 1000]))),
        ("others", Arc::new(Int64Array::from(vec![0; 1000]))),
    ];
    let batch = batch(&columns);
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let mut writer =
        FileWriter::try_new_with_options(File::create(&path).unwrap(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let (memory, column) = (MemoryPool::new(1 << 15), Some("zeros".to_string()));
    let options = SourceOptions { column, memory: Some(memory), ..SourceOptions::default() };
    let mut source = open(&path, Wanted { scalar: ValueType::I64, rank: 0 }, &options).unwrap();
    let read = source.read(1000, &mut [1; 8000]);
    assert_eq!((read.count, read.end), (1000, None));
}

#[test]
fn all_types_come_back_from_what_is_written() {
    let memory = MemoryPool::new(1 << 24);
    let folder = tempfile::tempdir().unwrap();
    for scalar in ValueType::ALL {
        for shape in [&[][..], &[3]] {
            let element = ElementType { scalar, shape: Shape::from_slice(shape) };
            let mut array: Array = element.allocate(5, &memory).unwrap();
            for (place, byte) in array.bytes_mut(&memory).unwrap().iter_mut().enumerate() {
                *byte =
                    if scalar == ValueType::Bool { (place % 3 == 0).into() } else { (37 * place + 1) as u8 };
            }
            for name in ["a.arrow", "a.parquet", "a.npy", "a.raw"] {
                let path = folder.path().join(name);
                let mut sink = create(&path, None).unwrap();
                sink.begin(&element).unwrap();
                sink.write(&array).unwrap();
                sink.write(&array).unwrap();
                sink.finish().unwrap();
                let options = SourceOptions { shape: shape.to_vec(), ..SourceOptions::default() };
                let mut source = open(&path, Wanted { scalar, rank: shape.len() }, &options).unwrap();
                let mut target = vec![0; 2 * array.bytes().len()];
                assert_eq!(source.read(10, &mut target).count, 10, "{name} of {element}");
                assert_eq!(target, [array.bytes(), array.bytes()].concat(), "{name} of {element}");
                assert_eq!(source.read(1, &mut vec![0; array.bytes().len() / 5]).end, Some(End::Finished));
            }
        }
    }
}

/// Returns the contents cut at a place, or with some bytes changed.
fn damaged(mut contents: Vec<u8>, cut: Option<usize>, changes: &[(usize, u8)]) -> Vec<u8> {
    let length = contents.len();
    for &(place, change) in changes {
        contents[place % length] ^= change;
    }
    contents.truncate(cut.map_or(length, |cut| cut % length));
    contents
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn damaged_files_are_errors_or_other_numbers(
        cut in proptest::option::of(any::<usize>()),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..4),
    ) {
        let (_arrow, mut paths) = arrow_files();
        let (_parquet, path) = parquet_file(Compression::SNAPPY);
        paths.push(path);
        for path in paths {
            let contents = std::fs::read(&path).unwrap();
            let changed = damaged(contents.clone(), cut, &changes);
            std::fs::write(&path, &changed).unwrap();
            for (column, scalar, rank) in
                [("x", ValueType::I64, 0), ("lists", ValueType::F64, 1), ("lists", ValueType::I64, 0), ("flag", ValueType::Bool, 0)]
            {
                let found = read(&path, column, scalar, rank);
                let whole = found.as_ref().is_ok_and(|(_, _, error)| error.is_none());
                // A stream, which has no footer, may end after any batch.
                let is_stream = path.extension().is_some_and(|ending| ending == "arrows");
                prop_assert!(!whole || changed.len() == contents.len() || is_stream, "{path:?} {}", changed.len());
            }
        }
    }
}
