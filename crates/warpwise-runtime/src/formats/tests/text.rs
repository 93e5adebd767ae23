//! Text: the values it is read as, and the positions of errors.

use super::*;

#[test]
fn scalars_in_text() {
    check_scalar("42", 42_i32);
    check_scalar("-42i8", -42_i8);
    check_scalar("+7u64", 7_u64);
    check_scalar("1_000_000", 1_000_000_i32);
    check_scalar("0x_ff_u8", 255_u8);
    check_scalar("0xffi8", -1_i8);
    check_scalar("0b101i64", 5_i64);
    check_scalar("-0x10", -16_i32);
    check_scalar("0x1f32", 0x1f32_i32);
    check_scalar("18446744073709551615u64", u64::MAX);
    check_scalar("-9223372036854775808i64", i64::MIN);
    check_scalar("true", true);
    check_scalar("1.5", 1.5_f64);
    check_scalar("1e3", 1000.0_f64);
    check_scalar("1E-3f32", 0.001_f32);
    check_scalar("1_0.5_0", 10.5_f64);
    check_scalar("3f32", 3.0_f32);
    check_scalar("0x1.8p3", 12.0_f64);
    check_scalar("-0x1p-2f32", -0.25_f32);
    check_scalar("-f64.inf", f64::NEG_INFINITY);
    check_scalar("f16.inf", f16::INFINITY);
    check_scalar("f32.nan", f32::NAN);
    check_scalar("f16.nan", f16::NAN);
    // Any bit pattern under either sign, if the type is written.
    check_scalar("255i8", -1_i8);
    check_scalar("-1u8", 255_u8);
    check_scalar("-128u8", 128_u8);
    check_scalar("18446744073709551615i64", -1_i64);
    check_scalar("0.1f16", f16::from_f32(0.1));
    check_scalar("3.4028236e38f32", f32::INFINITY);
    check_scalar("9007199254740993.0", 9_007_199_254_740_992.0_f64);
    check_scalar("  -- comment -- 5\n 6 --7", 6_i32);
    check_scalar("16--x", 16_i32);
}

#[test]
fn expected_types_are_taken_on_by_plain_numbers() {
    assert_eq!(read_as(b"1 2 3", &["f32", "u8", "i64"]).unwrap().len(), 3);
    assert_eq!(read_as(b"1.5", &["f16"]).unwrap(), [Value::from_element(f16::from_f32(1.5))]);
    assert_eq!(read_as(b"0x10", &["f64"]).unwrap(), [Value::from_element(16.0)]);
    assert_eq!(read_as(b"[1, 2.5, -3e0]", &["[]f32"]).unwrap(), [array(&[3], &[1.0_f32, 2.5, -3.0])]);
    assert_eq!(read_as(b"[1u8, 2]", &["[]u8"]).unwrap(), [array(&[2], &[1_u8, 2])]);
    assert_eq!(
        read_as(b"inf -Infinity", &["f32", "f64"]).unwrap(),
        [Value::from_element(f32::INFINITY), Value::from_element(f64::NEG_INFINITY)]
    );
    let read = read_as(b"[1, inf, -inf, f16.inf]", &["[]f16"]).unwrap();
    assert_eq!(
        read,
        [array(&[4], &[1.0, f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY].map(f16::from_f32))]
    );
    assert!(
        matches!(read_as(b"-NaN", &["f16"]).unwrap()[..], [Value::Scalar { value: warpwise_prim::Scalar::F16(x), .. }] if x.is_nan())
    );
    check_error("1.5", &["i32"], "data.in:1:1: expected a value of type i32: `1.5` is of type f64, not i32");
    check_error(
        "1i64",
        &["i32"],
        "data.in:1:1: expected a value of type i32: `1i64` is of type i64, not i32",
    );
    check_error(
        "1",
        &["bool"],
        "data.in:1:1: expected a value of type bool: `1` is not a value of type bool",
    );
    check_error("true", &["u8"], "data.in:1:1: expected a value of type u8: `true` is of type bool, not u8");
}

#[test]
fn arrays_in_text() {
    assert_eq!(read(b"[[-1i64, 2], [0x3, 4]]").unwrap(), [array(&[2, 2], &[-1_i64, 2, 3, 4])]);
    assert_eq!(read(b"[f32.inf, 2]").unwrap(), [array(&[2], &[f32::INFINITY, 2.0])]);
    assert_eq!(read(b"[1,2,3]").unwrap(), [array(&[3], &[1, 2, 3])]);
    assert_eq!(
        read(b" [ [ 1.0f32,2.0f32 ] ,\n -- row\n[3.0f32, 4.0f32]]").unwrap(),
        [array(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0])]
    );
    assert_eq!(read(b"[[[true]],[[false]]]").unwrap(), [array(&[2, 1, 1], &[true, false])]);
    assert_eq!(read(b"empty([0][2]i32)").unwrap(), [array::<i32>(&[0, 2], &[])]);
    assert_eq!(read(b"empty( [ 3 ] [0] bool )").unwrap(), [array::<bool>(&[3, 0], &[])]);
    assert_eq!(read("\"h\u{e9}\\n\\\"\"".as_bytes()).unwrap(), [array(&[5], b"h\xc3\xa9\n\"")]);
    assert_eq!(read(b"\"\"").unwrap(), [array::<u8>(&[0], &[])]);
    assert_eq!(read(b"").unwrap(), []);
}

#[test]
fn a_comma_may_stand_behind_the_last_item() {
    assert_eq!(read(b"[1u8,]").unwrap(), [array(&[1], &[1_u8])]);
    assert_eq!(read(b"[1, 2 , ] 3").unwrap(), [array(&[2], &[1, 2]), Value::from_element(3)]);
    assert_eq!(
        read(b"[[1.0, 2.0,],\n [3.0, 4.0] -- last\n , -- row\n ]").unwrap(),
        [array(&[2, 2], &[1.0, 2.0, 3.0, 4.0])]
    );
    assert_eq!(read_as(b"[[true,],]", &["[][]bool"]).unwrap(), [array(&[1, 1], &[true])]);
    check_error("[,]", &[], "data.in:1:2: a value must stand here, not `,`");
    check_error("[1,,]", &[], "data.in:1:4: a value of type i32 must stand here, not `,`");
    check_error("[[1],,]", &[], "data.in:1:6: a row must stand here, not an element");
    check_error("[1,", &[], "data.in:1:4: a value of type i32 must stand here, but the input ends");
}

#[test]
fn brackets_are_empty_arrays_of_an_expected_type() {
    assert_eq!(
        read_as(b"[] [ ]", &["[]i32", "[]f64"]).unwrap(),
        [array::<i32>(&[0], &[]), array::<f64>(&[0], &[])]
    );
    assert_eq!(read_as(b"[[], [],]", &["[][]bool"]).unwrap(), [array::<bool>(&[2, 0], &[])]);
    assert_eq!(read_as(b"[[[]]]", &["[][][]u8"]).unwrap(), [array::<u8>(&[1, 1, 0], &[])]);
    let untyped = "an empty array is written with its type, such as empty([0]i32)";
    check_error("[]", &["[][]i32"], &format!("data.in:1:2: expected a value of type [][]i32: {untyped}"));
    check_error(
        "[[1], []]",
        &["[][]i32"],
        "data.in:1:8: expected a value of type [][]i32: this row has 0 elements, an earlier one 1",
    );
    check_error(
        "[,]",
        &["[]i32"],
        "data.in:1:2: expected a value of type []i32: a value of type i32 must stand here, not `,`",
    );
}

#[test]
fn rows_may_be_strings_and_empty_arrays() {
    assert_eq!(read(b"[\"ab\", \"cd\"]").unwrap(), [array(&[2, 2], b"abcd")]);
    assert_eq!(read(b"[[\"ab\",], [\"cd\"]]").unwrap(), [array(&[2, 1, 2], b"abcd")]);
    assert_eq!(read(b"[\"ab\", [99u8, 100]]").unwrap(), [array(&[2, 2], b"abcd")]);
    assert_eq!(read(b"[[97u8, 98u8], \"cd\"]").unwrap(), [array(&[2, 2], b"abcd")]);
    assert_eq!(read(b"[\"\", \"\"]").unwrap(), [array::<u8>(&[2, 0], &[])]);
    assert_eq!(read(b"[empty([0]i32)]").unwrap(), [array::<i32>(&[1, 0], &[])]);
    assert_eq!(read(b"[empty([0][2]f16), empty([0][2]f16)]").unwrap(), [array::<f16>(&[2, 0, 2], &[])]);
    assert_eq!(read(b"[\"\", empty([0]u8)]").unwrap(), [array::<u8>(&[2, 0], &[])]);
    assert_eq!(read_as(b"[\"ab\"]", &["[][]u8"]).unwrap(), [array(&[1, 2], b"ab")]);
    check_error("[\"ab\", \"c\"]", &[], "data.in:1:8: this row has 1 elements, an earlier one 2");
    check_error(
        "[\"ab\", [\"cd\"]]",
        &[],
        "data.in:1:9: this row has another number of dimensions than it must have",
    );
    check_error(
        "[[1, 2], \"cd\"]",
        &[],
        "data.in:1:10: elements of type i32 must stand here, not of type u8",
    );
    check_error("[empty([0]i32), [1]]", &[], "data.in:1:19: this row has 1 elements, an earlier one 0");
    check_error(
        "[empty([0]i32), empty([0]i64)]",
        &[],
        "data.in:1:17: elements of type i32 must stand here, not of type i64",
    );
    check_error("[\"a\", 1]", &[], "data.in:1:7: a row must stand here, not an element");
    check_error(
        "[\"a\"]",
        &["[]u8"],
        "data.in:1:2: expected a value of type []u8: this row has another number of dimensions than it must have",
    );
}

#[test]
fn strings_have_the_escapes_of_programs_and_more() {
    let bytes = |text: &[u8]| read(text).unwrap();
    assert_eq!(bytes(b"\"\\a\\b\\f\\n\\r\\t\\v\\0\""), [array(&[8], b"\x07\x08\x0c\n\r\t\x0b\0")]);
    assert_eq!(bytes(b"\"\\65\\x42\\o103;\""), [array(&[4], b"ABC;")]);
    assert_eq!(bytes(b"\"\\SO\\SOH\\DEL\\233\""), [array(&[5], b"\x0e\x01\x7f\xc3\xa9")]);
    check_error("\"\\1114112\"", &[], "data.in:1:3: no character has this number");
    check_error("\"\\x\"", &[], "data.in:1:3: no character has this number");
}

#[test]
fn malformed_text_is_located() {
    check_error("[1, 2", &[], "data.in:1:6: `,` or `]` must stand here, but the input ends");
    check_error("[1 2]", &[], "data.in:1:4: `,` or `]` must stand here, not `2`");
    check_error("[[1, 2],\n [3]]", &[], "data.in:2:4: this row has 1 elements, an earlier one 2");
    check_error("[[1], 2]", &[], "data.in:1:7: a row must stand here, not an element");
    check_error("[1, [2]]", &[], "data.in:1:5: a value of type i32 must stand here, not `[`");
    check_error("[[1], [[2]]]", &[], "data.in:1:8: an element must stand here, not an array");
    check_error("[]", &[], "data.in:1:2: an empty array is written with its type, such as empty([0]i32)");
    check_error(
        "[[1], []]",
        &[],
        "data.in:1:8: an empty array is written with its type, such as empty([0]i32)",
    );
    check_error("[1, 2i64]", &[], "data.in:1:5: `2i64` is of type i64, not i32");
    check_error("[1u8, 2.5]", &[], "data.in:1:7: `2.5` is of type f64, not u8");
    check_error("[1.0, 2]", &[], "data.in:1:7: `2` is of type i32, not f64");
    check_error("[1,,2]", &[], "data.in:1:4: a value of type i32 must stand here, not `,`");
    check_error("]", &[], "data.in:1:1: a value must stand here, not `]`");
    check_error("1.5.2", &[], "data.in:1:1: `1.5.2` is not a value of type f64");
    check_error("0x", &[], "data.in:1:1: `0x` is not a value of type i32");
    check_error("1e", &[], "data.in:1:1: `1e` is not a value of type f64");
    check_error("nan", &[], "data.in:1:1: a value must stand here, not `nan`");
    check_error("9999999999999999999", &[], "data.in:1:1: `9999999999999999999` is out of range for i32");
    check_error("300u8", &[], "data.in:1:1: `300u8` is out of range for u8");
    check_error("-129u8", &[], "data.in:1:1: `-129u8` is out of range for u8");
    check_error("256i8", &[], "data.in:1:1: `256i8` is out of range for i8");
    check_error("-1", &["u8"], "data.in:1:1: expected a value of type u8: `-1` is out of range for u8");
    check_error("0x100u8", &[], "data.in:1:1: `0x100u8` is out of range for u8");
    check_error(
        format!("1{}", "0".repeat(60)),
        &[],
        &format!("data.in:1:1: `1{}` is out of range for i32", "0".repeat(60)),
    );
    check_error("\"abc", &[], "data.in:1:1: this string does not end");
    check_error(
        "\"\\q\"",
        &[],
        "data.in:1:3: an unknown escape; \\n, \\t, \\r, \\\", \\\\, \\65, \\x41 and the like are known",
    );
    check_error("empty([0]foo)", &[], "data.in:1:10: the name of an element type must stand here");
    check_error(
        "empty([2]i32)",
        &[],
        "data.in:1:1: an empty array has a size of 0 among its sizes, and none is negative",
    );
    check_error("\n\n  @", &[], "data.in:3:3: a value must stand here, not `@`");
    check_error("\u{fc}", &[], "data.in:1:1: a value must stand here, not `\\xc3`");
    check_error("[".repeat(1000), &[], "data.in:1:1001: a value must stand here, but the input ends");
    check_error(format!("{}1", "[".repeat(1000)), &[], "data.in:1:256: more than 255 dimensions");
}

#[test]
fn wrong_types_and_numbers_of_values_are_errors() {
    check_error(
        "[1, 2]",
        &["[][]i32"],
        "data.in:1:2: expected a value of type [][]i32: a row must stand here, not an element",
    );
    check_error(
        "[[1]]",
        &["[]i32"],
        "data.in:1:2: expected a value of type []i32: an element must stand here, not an array",
    );
    check_error("[1]", &["i32"], "data.in:1:1: expected a value of type i32: found an array");
    check_error("1", &["[]i32"], "data.in:1:1: expected a value of type []i32: found one of type i32");
    check_error(
        "empty([0]f32)",
        &["[]f64"],
        "data.in:1:1: expected a value of type []f64: found one of type []f32",
    );
    check_error(
        "1",
        &["i32", "f64"],
        "data.in:1:2: expected a value of type f64: the input ends after 1 values",
    );
    check_error("1\n2", &["i32"], "data.in:2:1: there is more input after the 1 expected values");
    let mut two = binary(&array(&[1], &[1_i64]));
    check_error(&two, &["[]f64"], "data.in: byte 0: expected a value of type []f64: found one of type []i64");
    two.extend(two.clone());
    check_error(&two, &["[]i64"], "data.in: byte 23: there is more input after the 1 expected values");
}

#[test]
fn large_text_is_read_within_the_budget() {
    let small = MemoryPool::new(100_000);
    let text = format!("[{}1]", "1,".repeat(30_000));
    let error = read_values(Source::bytes("data.in", text.as_bytes()), None, &small).unwrap_err();
    assert!(error.to_string().contains("out of memory"), "{error}");
    let text = " ".repeat(200_000);
    let error = read_values(Source::bytes("data.in", text.as_bytes()), None, &small).unwrap_err();
    assert!(error.to_string().contains("more than 100000 bytes of text"), "{error}");
}
