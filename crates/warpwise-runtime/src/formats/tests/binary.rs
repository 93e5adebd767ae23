//! The binary layout, truncated and corrupt binary values, streams that fail.

use super::*;

#[test]
fn the_binary_layout_is_the_documented_one() {
    assert_eq!(
        binary(&array(&[1, 2], &[1_i16, -2])),
        [b"b\x02\x02 i16".as_slice(), &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0xfe, 0xff]]
            .concat()
    );
    assert_eq!(binary(&Value::from_element(true)), b"b\x02\x00bool\x01");
    assert_eq!(binary(&Value::from_element(7_u8)), b"b\x02\x00  u8\x07");
}

#[test]
fn every_truncation_of_a_binary_value_is_an_error() {
    let bytes = binary(&array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]));
    for length in 1..bytes.len() {
        for stream in [false, true] {
            let part = &bytes[..length];
            let source = match stream {
                false => Source::bytes("data.in", part),
                true => Source::stream("data.in", part),
            };
            let error = read_values(source, Some(&[ty("[][]f64")]), &pool()).unwrap_err().to_string();
            assert!(error.starts_with("data.in: byte "), "{length}: {error}");
            assert!(error.contains("expected a value of type [][]f64: the input ends within"), "{error}");
        }
    }
}

#[test]
fn corrupt_binary_headers_are_located() {
    let header = |name: &str, sizes: &[u64]| {
        let mut bytes = vec![b'b', 2, sizes.len() as u8];
        bytes.extend(name.as_bytes());
        sizes.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
        bytes
    };
    check_error(b"b\x01\x00 i32", &[], "data.in: byte 1: version 1 of the binary format is not known");
    check_error(b"b\x02\x00 i33\0\0\0\0", &[], "data.in: byte 3: ` i33` names no element type");
    check_error(b"b\x02\x00bool\x02", &[], "data.in: byte 7: the byte 2 is no truth value; 0 and 1 are");
    let size = i64::MAX as u64;
    check_error(
        header(" f64", &[size]),
        &[],
        "data.in: byte 15: the input ends within the elements: more than 2^64 bytes are needed, 0 are left",
    );
    check_error(
        header("  i8", &[size]),
        &["[]i8"],
        concat!(
            "data.in: byte 15: expected a value of type []i8: the input ends within the elements: ",
            "9223372036854775807 bytes are needed, 0 are left"
        ),
    );
    check_error(
        header("  i8", &[1 << 63]),
        &[],
        "data.in: byte 7: the size 9223372036854775808 is out of range",
    );
    check_error(
        header("  i8", &[1 << 32, 1 << 32, 1 << 32]),
        &[],
        "data.in: byte 31: the input ends within the elements: more than 2^64 bytes are needed, 0 are left",
    );
    // The length of a stream is unknown: the budget decides.
    let absurd = header(" f64", &[1 << 40]);
    let error = read_values(Source::stream("pipe", &absurd[..]), None, &pool()).unwrap_err().to_string();
    assert!(error.starts_with("pipe: byte 15: out of memory: 8 TiB asked"), "{error}");
    assert_eq!(read(&header(" f64", &[size, size, 0])).unwrap()[0].shape(), [i64::MAX, i64::MAX, 0]);
}

#[test]
fn a_failing_stream_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is cut"))
        }
    }
    let error = read_values(Source::stream("pipe", Broken), None, &pool()).unwrap_err();
    assert_eq!(error.to_string(), "pipe: byte 0: cannot read: the cable is cut");
    let partial = b"b\x02\x01  i8".chain(Broken);
    let error = read_values(Source::stream("pipe", partial), None, &pool()).unwrap_err();
    assert!(error.to_string().contains("the cable is cut"), "{error}");
}
