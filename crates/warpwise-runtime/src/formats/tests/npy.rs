//! `.npy`: round trips, both orders, every version, malformed headers.

use super::*;

#[test]
fn npy_files_come_back() {
    for value in samples() {
        let mut bytes = Vec::new();
        write_npy(&mut bytes, &value).unwrap();
        assert_eq!((bytes.len() - value.bytes() as usize) % 64, 0);
        let expected = ExpectedType { elem: value.element_type(), rank: value.shape().len() };
        let read = read_npy(Source::bytes("a.npy", &bytes), Some(expected), &pool()).unwrap();
        assert_eq!(read, value);
        for length in 0..bytes.len() {
            assert!(read_npy(Source::bytes("a.npy", &bytes[..length]), None, &pool()).is_err());
            assert!(read_npy(Source::stream("a.npy", &bytes[..length]), None, &pool()).is_err());
        }
        bytes.push(0);
        assert!(read_npy(Source::bytes("a.npy", &bytes), None, &pool()).is_err());
    }
}

fn npy(version: u8, dictionary: &str, data: &[u8]) -> Result<Value, FormatError> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = (dictionary.len() as u32).to_le_bytes();
    bytes.extend(if version == 1 { &length[..2] } else { &length });
    bytes.extend(dictionary.as_bytes());
    bytes.extend(data);
    read_npy(Source::bytes("a.npy", &bytes), None, &pool())
}

#[test]
fn npy_orders_and_versions() {
    let fortran = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
    let data = [0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6];
    for version in 1..=3 {
        assert_eq!(npy(version, fortran, &data).unwrap(), array(&[2, 3], &[1_i16, 2, 3, 4, 5, 6]));
    }
    let column = "{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\"=u1\"}";
    assert_eq!(npy(1, column, &[1, 2, 3]).unwrap(), array(&[3], &[1_u8, 2, 3]));
    let scalar = "{'descr': '?', 'fortran_order': False, 'shape': ()}";
    assert_eq!(npy(1, scalar, &[1]).unwrap(), Value::from_element(true));
    let cube = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2)}";
    assert_eq!(
        npy(1, cube, &[0, 4, 2, 6, 1, 5, 3, 7]).unwrap(),
        array(&[2, 2, 2], &[0_u8, 1, 2, 3, 4, 5, 6, 7])
    );
}

#[test]
fn malformed_npy_files_are_errors() {
    let message = |dictionary: &str| npy(1, dictionary, &[0; 8]).unwrap_err().to_string();
    let malformed = "a.npy: byte 10: the header is no dictionary of descr, fortran_order and shape";
    for dictionary in [
        "",
        "{",
        "{}",
        "{'descr': '<f8'}",
        "{'descr'}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1",
        "{'descr: '<f8'}",
        "{5: 6}",
    ] {
        assert_eq!(message(dictionary), malformed, "{dictionary}");
    }
    let with = |descr: &str, shape: &str| {
        message(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"))
    };
    assert_eq!(with("'<c16'", "()"), "a.npy: byte 10: elements of type `<c16` are not supported");
    assert!(with("[('x', '<f8')]", "()").contains("structured element types are not supported"));
    assert_eq!(with("'<f8'", "(-1,)"), "a.npy: byte 10: `-1` is no size");
    assert!(with("'<f8'", "(9223372036854775807,)").contains("more than 2^64 bytes are needed, 8 are left"));
    assert!(with("'|b1'", "(9,)").contains("9 bytes are needed, 8 are left"));
    assert!(with("'|b1'", "(7,)").contains("there is more input"));
    assert!(message("{'x': '<f8'}").contains("unknown key `x`"));
    assert!(npy(4, "{}", &[]).unwrap_err().to_string().contains("byte 6: version 4.0 of .npy"));
    let absurd = b"\x93NUMPY\x02\x00\xff\xff\xff\xff";
    let error = read_npy(Source::bytes("a.npy", absurd), None, &pool()).unwrap_err();
    assert_eq!(error.to_string(), "a.npy: byte 8: a header of 4294967295 bytes is absurd");
}
