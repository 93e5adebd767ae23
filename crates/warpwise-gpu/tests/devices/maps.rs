//! Programs of the core IR as OpenCL kernels on a device, compared with the interpreter of the core IR.

use warpwise_interp::{ArrayValue, InterpError, Value, interpret};
use warpwise_ir::FunctionId;
use warpwise_ir::entity::Entity;
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::execute::RunError;

use crate::device::{Device, devices};
use crate::{golden, host, programs};

/// Sizes around the size of a group.
const SIZES: [i64; 8] = [0, 1, 2, 31, 32, 33, 100, 5000];

/// Maximum difference of floats from the interpreter's, in units of the last place.
const BOUND: u64 = 16;

fn int(value: i64) -> Value {
    Value::Scalar(Scalar::I64(value))
}

fn array(elem: ScalarType, shape: &[i64], at: impl Fn(i64) -> Scalar) -> Value {
    let count = shape.iter().product();
    let shape = shape.iter().map(|&size| size as usize).collect();
    Value::Array(ArrayValue::new(elem, shape, (0..count).map(at).collect()))
}

/// Floats of both signs and different magnitudes.
fn some_float(i: i64) -> f64 {
    let sign = if i % 3 == 0 { -1.0 } else { 1.0 };
    sign * ((i * 7919) % 1009) as f64 / 37.0
}

/// Returns whether two scalars are equal, up to rounding for floats.
fn agree(x: Scalar, y: Scalar) -> bool {
    if !x.ty().is_float() || x.ty() != y.ty() {
        return x == y;
    }
    let (a, b) = (x.as_float().unwrap_or(0.0), y.as_float().unwrap_or(0.0));
    a == b || a.is_nan() && b.is_nan() || a * b > 0.0 && x.to_bits().abs_diff(y.to_bits()) <= BOUND
}

/// Asserts that a program on the device gives the interpreter's results.
fn check(device: &Device, text: &str, args: Vec<Value>) {
    let expected =
        interpret(&programs::parse(text), FunctionId::new(0), args.clone()).expect("no check fails");
    for look_back in [false, true] {
        let results = host::run(device, &programs::lowered_for(text, look_back), &args);
        agree_all(&results.expect("no check fails"), &expected);
    }
}

/// Asserts that results agree with the expected ones.
pub fn agree_all(results: &[Value], expected: &[Value]) {
    assert_eq!(results.len(), expected.len());
    for (result, expected) in results.iter().zip(expected) {
        match (result, expected) {
            (Value::Array(result), Value::Array(expected)) => {
                assert_eq!((result.elem, &result.shape), (expected.elem, &expected.shape));
                for (i, (&x, &y)) in result.data.iter().zip(expected.data.iter()).enumerate() {
                    assert!(agree(x, y), "element {i} of {:?}: {x:?} where {y:?} is right", result.shape);
                }
            }
            _ => assert_eq!(result, expected),
        }
    }
}

#[test]
fn a_map() {
    for device in devices() {
        for n in SIZES {
            let xs = array(ScalarType::F32, &[n], |i| Scalar::F32(some_float(i) as f32));
            check(&device, &golden::program("saxpy"), vec![int(n), Value::Scalar(Scalar::F32(0.3)), xs]);
        }
    }
}

/// Sizes around those of groups and blocks.
const MORE_SIZES: [i64; 7] = [0, 1, 2, 127, 129, 2049, 70_000];

#[test]
fn reductions_by_work_groups() {
    for device in devices() {
        for n in MORE_SIZES {
            let xs = array(ScalarType::I64, &[n], |i| Scalar::I64(i * 7919 % 1009 - 400));
            let ys = array(ScalarType::F64, &[n], |i| Scalar::F64(some_float(i)));
            check(&device, &golden::program("sums"), vec![int(n), xs, ys]);
        }
        for (n, m) in [(0, 4), (4, 0), (1, 1), (1, 5000), (3, 2049), (100, 65), (20_000, 3)] {
            let xs = array(ScalarType::I32, &[n, m], |i| Scalar::I32((i % 13) as i32 - 5));
            check(&device, &golden::program("pairs"), vec![int(n), int(m), xs]);
        }
    }
}

#[test]
fn nests_by_work_groups() {
    for device in devices() {
        // Small integers, whose sums are exact.
        for (n, m) in
            [(0, 4), (4, 0), (1, 1), (3, 127), (3, 129), (2, 2048), (2, 4096), (2, 5000), (70_000, 2)]
        {
            let xs = array(ScalarType::F32, &[n, m], |i| Scalar::F32((i * 7 % 13) as f32 - 6.0));
            check(&device, &golden::program("groups"), vec![int(n), int(m), xs]);
        }
    }
}

/// PoCL duplicates the code after a loop with barriers that may not run: every further scan doubled its compile time.
#[test]
fn scans_of_rows_in_a_chain() {
    let scan = |k: i64| {
        let before = k - 1;
        format!(
            "x{k}: [m]i32 = screma m (y{before}) map (x: i32) {{ return x }}
               scan (a: i32, b: i32) {{ c: i32 = add a b; return c }} [0i32];
             y{k}: [m]i32 = screma m (x{k}) map (x: i32) {{ z: i32 = xor x {k}i32; return z }};"
        )
    };
    let scans: String = (1..=3).map(scan).collect();
    let text = format!(
        "fun main(n: i64, m: i64, xss: [n][m]i32) -> (r: [n][m]i32) {{
           r: [n][m]i32 = screma n (xss) map (y0: [m]i32) {{ {scans} return y3 }};
           return r }}"
    );
    for device in devices() {
        for (n, m) in [(4, 0), (3, 1), (2, 5000)] {
            let xss = array(ScalarType::I32, &[n, m], |i| Scalar::I32(i as i32 * 7));
            check(&device, &text, vec![int(n), int(m), xss]);
        }
    }
}

#[test]
fn scans_filters_histograms_and_scatters() {
    for device in devices() {
        for n in MORE_SIZES {
            let xs = array(ScalarType::I32, &[n], |i| Scalar::I32((i * 31 % 1000) as i32));
            check(&device, &golden::program("scan"), vec![int(n), xs]);
            let xs = array(ScalarType::F32, &[n], |i| Scalar::F32(some_float(i) as f32));
            check(&device, &golden::program("filter"), vec![int(n), xs]);
            // The last size takes several passes over the largest input.
            for m in [1, 10, 4000] {
                let is = array(ScalarType::I64, &[n], |i| Scalar::I64(i * 31 % (m + 3) - 1));
                let xs = array(ScalarType::I64, &[n], Scalar::I64);
                let dest = array(ScalarType::I64, &[m], |_| Scalar::I64(1));
                check(&device, &golden::program("histogram"), vec![int(n), int(m), is, xs, dest]);
            }
            // Every place is written at most once; some inputs go nowhere.
            let is = array(ScalarType::I64, &[n], |i| Scalar::I64(if i % 3 == 0 { -1 } else { n - 1 - i }));
            let xs = array(ScalarType::F16, &[n], |i| Scalar::float(ScalarType::F16, some_float(i)));
            let dest = array(ScalarType::F16, &[n], |_| Scalar::float(ScalarType::F16, 1.0));
            check(&device, &golden::program("scatter"), vec![int(n), int(n), is, xs, dest]);
        }
    }
}

/// Exclusive products of two-row matrices, and a value outside of the products that is added afterwards.
const MATRICES: &str = "fun main(n: i64, xs: [n]i64) -> (r0: [n]i64, r1: [n]i64) {
    rs: [n]i64, ss: [n]i64 = screma n (xs) map (x: i64) { y: i64 = add x 1; return x, y, 1, 0, x }
      exscan (a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64) {
        ae: i64 = mul a e; bg: i64 = mul b g; p: i64 = add ae bg;
        af: i64 = mul a f; bh: i64 = mul b h; q: i64 = add af bh;
        ce: i64 = mul c e; dg: i64 = mul d g; r: i64 = add ce dg;
        cf: i64 = mul c f; dh: i64 = mul d h; s: i64 = add cf dh;
        return p, q, r, s } [1, 0, 0, 1]
      post (a: i64, b: i64, c: i64, d: i64, x: i64) { u: i64 = add a x; v: i64 = sub b c; return u, v };
    return rs, ss }";

/// Partitions into odd elements, and small ones among the others.
const TWO_CLASSES: &str = "fun main(n: i64, xs: [n]i64) -> (k: i64, l: i64, r: [k]i64, s: [l]i64) {
    k: i64, l: i64, ys: [k]i64, zs: [l]i64 = partition n (xs) classes 2 (x: i64) {
      odd0: i64 = and x 1; odd: bool = eq odd0 1; small: bool = slt x 50; return odd, small, x };
    return k, l, ys, zs }";

#[test]
fn scans_and_partitions_across_tiles() {
    // Tiles of matrices have 512 elements; a group scans the totals of 512 tiles at a time.
    for device in devices() {
        for n in [0, 1, 511, 512, 513, 2047, 2048, 2049, 5000, 300_000] {
            let xs = array(ScalarType::I64, &[n], |i| Scalar::I64(i * 7919 % 101));
            check(&device, MATRICES, vec![int(n), xs.clone()]);
            check(&device, TWO_CLASSES, vec![int(n), xs]);
        }
    }
}

#[test]
fn operators_that_fail_on_neutral_elements() {
    let op = "(a: i64, b: i64) {
        some: bool = slt 0 b; c: cert = assert some (\"none\"); d: i64 = {c} add a b; return d }";
    let folds = format!(
        "fun main(n: i64, m: i64, xs: [n]i64, xss: [m][n]i64, h0: *[3]i64)
           -> (t: i64, ys: [n]i64, zs: [n]i64, ts: [m]i64, yss: [m][n]i64, h: [3]i64) {{
        t: i64 = screma n (xs) map (x: i64) {{ return x }} reduce {op} [0];
        ys: [n]i64, zs: [n]i64 = screma n (xs) map (x: i64) {{ return x, x }} scan {op} [0] exscan {op} [0];
        ts: [m]i64, yss: [m][n]i64 = screma m (xss) map (xs: [n]i64) {{
          t: i64 = screma n (xs) map (x: i64) {{ return x }} reduce {op} [0];
          ys: [n]i64 = screma n (xs) map (x: i64) {{ return x }} scan {op} [0];
          return t, ys }};
        h: [3]i64 = hist n (xs) map (x: i64) {{ b: i64 = smod x 3; return b, x }} into (h0) rank 1 with {op} [0];
        return t, ys, zs, ts, yss, h }}"
    );
    for device in devices() {
        for (n, m) in [(0, 2), (1, 1), (2, 0), (5, 3), (127, 2), (128, 1), (129, 3), (3000, 2)] {
            let element = |i: i64| Scalar::I64(i % 19 + 1);
            let (xs, xss) = (array(ScalarType::I64, &[n], element), array(ScalarType::I64, &[m, n], element));
            let dest = array(ScalarType::I64, &[3], element);
            check(&device, &folds, vec![int(n), int(m), xs, xss, dest]);
        }
    }
}

#[test]
fn checks_of_operators_of_scans_fail() {
    let text = "fun main(n: i64, xs: [n]i64) -> (r: [n]i64) {
        ys: [n]i64 = screma n (xs) map (x: i64) { return x }
          scan (a: i64, b: i64) {
            other: bool = ne b 7; c: cert = assert other (\"seven\"); d: i64 = {c} add a b; return d } [0];
        return ys }";
    for device in devices() {
        for n in [1, 3000, 10_000] {
            check(&device, text, vec![int(n), array(ScalarType::I64, &[n], |i| Scalar::I64(10 + i))]);
            let xs = array(ScalarType::I64, &[n], |i| Scalar::I64(7 + n - 1 - i));
            for look_back in [false, true] {
                let failed =
                    host::run(&device, &programs::lowered_for(text, look_back), &[int(n), xs.clone()]);
                assert!(matches!(failed, Err(RunError::Check { .. })), "{failed:?}");
            }
        }
    }
}

#[test]
fn reductions_whose_values_only_compilers_know_to_be_one() {
    // One reduction per kernel: PoCL 3.1 optimises loops with several accumulators differently.
    let operators =
        [("or", "i32", "0i32"), ("and", "i16", "-1i16"), ("or", "bool", "false"), ("smax", "i8", "-100i8")];
    for (op, ty, neutral) in operators {
        let none = if ty == "bool" { "slt 0 none".to_string() } else { format!("itrunc none : {ty}") };
        let text = format!(
            "fun main(n: i64, x: {ty}) -> (a: {ty}) {{
              is: [n]i64 = iota n 0 1;
              a: {ty} = screma n (is)
                map (i: i64) {{ none: i64 = xor i i; zero: {ty} = {none}; y: {ty} = or x zero; return y }}
                reduce (v: {ty}, w: {ty}) {{ u: {ty} = {op} v w; return u }} [{neutral}];
              return a }}"
        );
        let x = match ty {
            "i32" => Scalar::I32(5),
            "i16" => Scalar::I16(2048),
            "i8" => Scalar::I8(9),
            _ => Scalar::Bool(true),
        };
        for device in devices() {
            for n in [0, 4, 5000] {
                check(&device, &text, vec![int(n), Value::Scalar(x)]);
            }
        }
    }
}

#[test]
fn slots_of_the_arena_grow_until_they_suffice() {
    for device in devices() {
        // The initial slots have 4 KiB.
        for (n, m) in [(0, 5), (1, 1), (100, 3), (300, 512), (300, 513), (5, 100_000)] {
            let xs = array(ScalarType::F64, &[n], |i| Scalar::F64(some_float(i)));
            check(&device, &golden::program("private"), vec![int(n), int(m), xs]);
        }
    }
}

#[test]
fn what_does_not_fit_the_device_is_an_error_that_names_the_kernel() {
    for device in devices() {
        let xs = array(ScalarType::F64, &[2], |_| Scalar::F64(1.0));
        let program = programs::lowered(&golden::program("private"));
        let failed = host::run(&device, &program, &[int(2), int(1 << 40), xs]).expect_err("no room");
        match failed {
            RunError::OutOfMemory { error, by, .. } => {
                assert!(error.asked > error.limit && by.array == "main_0_map", "{error:?} {by:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_map_with_a_sequential_reduction_and_a_branch() {
    for device in devices() {
        for (n, m) in [(0, 3), (3, 0), (1, 1), (33, 7), (100, 50)] {
            let a = array(ScalarType::F64, &[n, m], |i| Scalar::F64(some_float(i)));
            check(&device, &golden::program("rows"), vec![int(n), int(m), a]);
        }
    }
}

#[test]
fn a_map_of_integers_and_bools_over_two_dimensions() {
    for device in devices() {
        let text =
            "fun main(n: i64, m: i64, a: [n][m]i8, flags: [m]bool) -> (r0: [n][m]i16, r1: [n][m]bool) {
        b: [n][m]i16, c: [n][m]bool = screma n (a) map (row: [m]i8) {
          r: [m]i16, s: [m]bool = screma m (row, flags) map (x: i8, flag: bool) {
            y: i16 = sext x : i16;
            z: i16 = mul y y;
            d: i16 = smod z 7i16;
            e: bool = slt x 0i8;
            f: bool = xor e flag;
            w: i16 = if f { return d } else { v: i16 = ashr y 2i16; return v };
            return w, f };
          return r, s };
        return b, c }";
        for (n, m) in [(0, 5), (5, 0), (1, 1), (1, 100), (7, 33)] {
            let a = array(ScalarType::I8, &[n, m], |i| Scalar::I8((i * 37) as i8));
            let flags = array(ScalarType::Bool, &[m], |i| Scalar::Bool(i % 3 == 1));
            check(&device, text, vec![int(n), int(m), a, flags]);
        }
    }
}

#[test]
fn rows_whose_elements_are_updated_again_and_again() {
    for device in devices() {
        let text = "fun main(n: i64, a: [n][4]i32) -> (r: [n][4]i32) {
        b: [n][4]i32 = screma n (a) map (row: [4]i32) {
          start: [4]i32 = copy row;
          end: [4]i32 = loop (now: *[4]i32 = start) for m: i64 < 3 {
            is: [4]i64 = iota 4 0 1;
            js: [4]i64, vs: [4]i32 = screma 4 (is) map (i: i64) {
              beyond: bool = slt m i;
              j: i64 = select beyond -1 i;
              x: i32 = index now[i];
              y: i32 = add x 1i32;
              return j, y };
            next: [4]i32 = scatter 4 (js, vs) into (now rank 1) (j: i64, v: i32) { return j, v };
            return next };
          return end };
        return b }";
        for n in [0, 1, 2, 3, 64, 1000] {
            check(&device, text, vec![int(n), array(ScalarType::I32, &[n, 4], |i| Scalar::I32(i as i32))]);
        }
    }
}

#[test]
fn a_map_with_a_loop_that_ends_early_on_halves() {
    for device in devices() {
        let text = "fun main(n: i64, xs: [n]f16) -> (r0: [n]f16, r1: [n]i64) {
        ys: [n]f16, ks: [n]i64 = screma n (xs) map (x: f16) {
          go: bool = flt 1f16 x;
          c: bool, y: f16, k: i64 = loop (c: bool = go, y: f16 = x, k: i64 = 0) while c {
            z: f16 = fmul y 0.7f16;
            k2: i64 = add k 1;
            on: bool = flt 1f16 z;
            return on, z, k2 };
          return y, k };
        return ys, ks }";
        for n in SIZES {
            let xs = array(ScalarType::F16, &[n], |i| Scalar::float(ScalarType::F16, some_float(i)));
            check(&device, text, vec![int(n), xs]);
        }
    }
}

/// Divides by the elements, which must not be 0, and looks up a table at indices that must be in bounds.
const CHECKED: &str = "fun main(n: i64, m: i64, xs: [n]i32, table: [m]i64) -> (r0: [n]i64) {
    is: [n]i64 = iota n 0 1;
    ys: [n]i64 = screma n (xs, is) map (x: i32, i: i64) {
      nonzero: bool = ne x 0i32;
      c1: cert = assert nonzero (\"division by zero in \", i: i64);
      q: i32 = {c1} sdiv 1000i32 x;
      j: i64 = sext q : i64;
      inside: bool = ult j m;
      c2: cert = assert inside (\"Index [\", q: i32, \"] out of bounds for array of shape [\", m: i64, \"]\");
      y: i64 = {c2} index table[j];
      return y };
    return ys }";

#[test]
fn the_first_failing_iteration_is_reported() {
    for device in devices() {
        let (n, m) = (1000, 600);
        let table = array(ScalarType::I64, &[m], |i| Scalar::I64(i * i));
        // 2 is looked up at 500, 1 is out of bounds, 0 is no divisor.
        for failing in [vec![], vec![(0, 1)], vec![(999, 0)], vec![(700, 0), (431, 1), (432, 0), (998, 1)]] {
            let at = |i| failing.iter().find(|(place, _)| *place == i).map_or(2 + i % 50, |(_, x)| *x);
            let xs = array(ScalarType::I32, &[n], |i| Scalar::I32(at(i) as i32));
            let args = vec![int(n), int(m), xs, table.clone()];
            if failing.is_empty() {
                check(&device, CHECKED, args);
                continue;
            }
            let failed = host::run(&device, &programs::lowered(CHECKED), &args).expect_err("a check fails");
            let expected = interpret(&programs::parse(CHECKED), FunctionId::new(0), args);
            match (failed, expected) {
                (RunError::Check { message, .. }, Err(InterpError::Check { message: own, .. })) => {
                    assert_eq!(message, own);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn histograms_combine_under_locks_and_in_parts_of_words() {
    for device in devices() {
        for (n, m) in [(0, 3), (1, 1), (100, 1), (1000, 7), (5000, 3000)] {
            let is = array(ScalarType::I64, &[n], |i| Scalar::I64((i * 7919) % (m + 1)));
            // All are different, so that the order of equal ones does not matter.
            let xs = array(ScalarType::F32, &[n], |i| Scalar::F32(((i * 7919) % 10_007) as f32));
            let least = array(ScalarType::F32, &[m], |_| Scalar::F32(0.5));
            let none = array(ScalarType::I64, &[m], |_| Scalar::I64(-1));
            check(
                &device,
                &golden::program("locked"),
                vec![int(n), int(m), is.clone(), xs.clone(), least.clone(), none],
            );
            let bytes = array(ScalarType::I8, &[n], |i| Scalar::I8((i % 100) as i8));
            let zeros = array(ScalarType::I8, &[m], |_| Scalar::I8(3));
            check(&device, &golden::program("narrow"), vec![int(n), int(m), is, bytes, xs, zeros, least]);
        }
    }
}

#[test]
fn segments_of_all_lengths_are_folded() {
    for device in devices() {
        for (n, m) in [(0, 5), (5, 0), (3, 1), (1, 20), (40, 17), (3, 100), (2, 3000), (2100, 33)] {
            let xs = array(ScalarType::F32, &[n, m], |i| Scalar::F32(((i * 31) % 17) as f32));
            check(&device, &golden::program("segments"), vec![int(n), int(m), xs]);
        }
    }
}
