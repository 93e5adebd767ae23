//! The operations that nests consist of: functions of an array `x`, as text of the array language with holes.
//!
//! An operation may be mapped over any number of outer dimensions, and operations may follow each other in any order: elements
//! are numbers before and after. Holes stand for the names that the text needs: `{t}` the element type, `{n}` and `{m}` the two
//! outer extents of `x`, `{half}` a number that about half of the elements exceed, `{h}` a factor, `{b}` a summand,
//! `{scale}` a factor that makes integers of floats, `{bin}` an index below 8 that is computed from an element `v`.

use Effect::{Adds, Becomes, Drops, DropsInner, Keeps, Merges, Outer, Splits, Swaps, Unknown};
use Element::{F64, I64, U8};
use Elements::{All, Floats, Integers};

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// 8 bits.
    U8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// A float of 32 bits.
    F32,
    /// 64 bits.
    I64,
    /// A float of 64 bits.
    F64,
}

/// The element types that an operation is defined for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// Every type.
    All,
    /// Floats only.
    Floats,
    /// Integers only.
    Integers,
}

/// The shape of the result, from the argument's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The shape is unchanged.
    Keeps,
    /// The outermost dimension is reduced.
    Drops,
    /// The second dimension is reduced.
    DropsInner,
    /// The outermost extent is this text, with holes.
    Outer(&'static str),
    /// The outermost extent is known only at run time.
    Unknown,
    /// An element becomes a row of this length.
    Adds(&'static str),
    /// The outermost dimension becomes two.
    Splits(&'static str, &'static str),
    /// The two outermost dimensions are exchanged.
    Swaps,
    /// The two outermost dimensions become one.
    Merges,
    /// The elements are of another type.
    Becomes(Element),
}

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// Name in tables, unique among the operations for one element type.
    pub name: &'static str,
    /// Number of dimensions of its argument.
    pub takes: usize,
    /// Whether elements of its argument may be arrays themselves.
    pub of_rows: bool,
    /// The element types that it is defined for.
    pub elements: Elements,
    /// The result's shape.
    pub effect: Effect,
    /// Whether float results depend on the order of operations.
    pub rounds: bool,
    /// Whether it compares elements, so that a rounding in its input may change its result completely.
    pub decides: bool,
    /// The function of `x` as text.
    pub text: &'static str,
}

const fn exact(name: &'static str, takes: usize, effect: Effect, text: &'static str) -> Operation {
    Operation { name, takes, of_rows: false, elements: All, effect, rounds: false, decides: false, text }
}

const fn rounding(name: &'static str, takes: usize, effect: Effect, text: &'static str) -> Operation {
    Operation { rounds: true, ..exact(name, takes, effect, text) }
}

const fn deciding(name: &'static str, takes: usize, effect: Effect, text: &'static str) -> Operation {
    Operation { decides: true, ..exact(name, takes, effect, text) }
}

const fn moving(name: &'static str, effect: Effect, text: &'static str) -> Operation {
    Operation { of_rows: true, ..exact(name, 1, effect, text) }
}

/// All operations: on elements, on rows, on matrices.
#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    exact("affine", 0, Keeps, "x * {h} + {b}"),
    Operation { elements: Floats, rounds: true, ..deciding("branches", 0, Keeps,
        "if x < 0.3 then {t}.exp x else if x < 0.6 then {t}.sqrt x else x * x") },
    Operation { elements: Integers, ..exact("branches", 0, Keeps, "if x < 20 then x / 3 else if x < 60 then x * x else x - 7") },
    Operation { elements: Floats, ..rounding("root", 0, Keeps, "{t}.sqrt (x * x + 1)") },
    Operation { elements: Floats, ..rounding("divide", 0, Keeps, "1 / (x * x + 1)") },
    Operation { elements: Integers, ..exact("divide", 0, Keeps, "x / 3 + x % 7") },
    exact("iterate", 0, Keeps, "loop y = x for _i < 4 do y * {h} + x"),
    deciding("search", 0, Keeps, "(loop (y, i) = (x, 0i32) while y < 100 && i < 20 do (y + y + 1, i + 1)).0"),
    exact("row of 4", 0, Adds("4"), "tabulate 4 (\\j -> x + {t}.i64 j)"),
    exact("replicate 3", 0, Adds("3"), "replicate 3 x"),
    deciding("one-hot", 0, Adds("8"), "let v = x in replicate 8 ({t}.i64 0) with [{bin}] = 1"),
    deciding("to u8", 0, Becomes(U8), "u8.i64 (i64.{t} (x * {scale}))"),
    deciding("to i64", 0, Becomes(I64), "i64.{t} (x * {scale})"),
    exact("to f64", 0, Becomes(F64), "f64.{t} x"),

    rounding("sum", 1, Drops, "reduce (+) 0 x"),
    exact("maximum", 1, Drops, "reduce {t}.max {t}.lowest x"),
    rounding("two sums", 1, Drops,
        "let (s, q) = reduce (\\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map (\\v -> (v, v * v)) x) in q - s"),
    deciding("argmin", 1, Drops,
        "let (_, i) = reduce (\\(v, i) (w, j) -> if v < w || (v == w && i < j) then (v, i) else (w, j)) ({t}.highest, {n}) \
         (zip x (iota {n})) in {t}.i64 i"),
    deciding("count", 1, Drops, "{t}.i64 (length (filter (> {half}) x))"),
    Operation { rounds: true, ..deciding("sum filtered", 1, Drops, "reduce (+) 0 (filter (> {half}) x)") },
    deciding("first filtered", 1, Drops, "let f = filter (> {half}) x in if length f > 0 then f[0] else 0"),
    deciding("any", 1, Drops, "{t}.bool (any (> {half}) x)"),
    deciding("first index", 1, Drops, "{t}.i64 (loop i = 0 while i < {n} && x[i] < {half} do i + 1)"),
    rounding("horner", 1, Drops, "loop s = 0 for i < {n} do s * {h} + x[i]"),

    rounding("scan", 1, Keeps, "scan (+) 0 x"),
    exact("scan max", 1, Keeps, "scan {t}.max {t}.lowest x"),
    rounding("scan affine", 1, Keeps,
        "map (.0) (scan (\\(a0, b0) (a1, b1) -> (a1 + b1 * a0, b0 * b1)) (0, 1) (map (\\v -> (v, v * {h})) x))"),
    deciding("scan last", 1, Keeps,
        "scan (\\a b -> if b == {t}.lowest then a else b) {t}.lowest (map (\\v -> if v > {half} then v else {t}.lowest) x)"),
    rounding("normalise", 1, Keeps, "let s = reduce (+) 0 x in map (\\v -> v / (s * s + 1)) x"),
    exact("stencil", 1, Keeps, "tabulate {n} (\\i -> x[i64.max 0 (i - 1)] + x[i] + x[i64.min ({n} - 1) (i + 1)])"),
    exact("stencil i32", 1, Keeps,
        "map (\\i -> if i > 0 && i < i32.i64 {n} - 1 then x[i - 1] + x[i + 1] else x[i]) (map i32.i64 (iota {n}))"),
    moving("gather", Keeps, "map (\\i -> x[(i * 7 + 3) % {n}]) (iota {n})"),
    deciding("look up", 1, Keeps, "map (\\v -> x[({bin} * 5) % {n}]) x"),
    moving("reverse", Keeps, "reverse x"),
    moving("rotate", Keeps, "rotate 1 x"),
    moving("half", Outer("({n} / 2)"), "take ({n} / 2) x"),
    moving("every second", Outer("({n} / 2)"), "tabulate ({n} / 2) (\\i -> x[2 * i])"),
    moving("append", Outer("({n} + {n})"), "x ++ reverse x"),
    exact("neighbours", 1, Keeps, "map2 (+) x (rotate 1 x)"),
    rounding("prefix loop", 1, Keeps, "loop y = copy x for i < {n} - 1 do y with [i + 1] = y[i] * {h} + y[i + 1]"),
    deciding("bubble", 1, Keeps,
        "loop y = copy x for i < {n} - 1 do if y[i] > y[i + 1] then let p = y[i] let q = y[i + 1] in (y with [i] = q) with [i + 1] = p else y"),
    moving("scatter", Keeps, "scatter (copy x) (map (\\i -> (i + {n} / 2) % {n}) (iota {n})) x"),
    exact("scatter some", 1, Keeps,
        "scatter (copy x) (map (\\i -> if i % 3 == 0 then i else -1) (iota {n})) (map (\\v -> v + {b}) x)"),
    Operation { rounds: true, ..deciding("histogram", 1, Outer("8"),
        "reduce_by_index (replicate 8 ({t}.i64 0)) (+) 0 (map (\\v -> {bin}) x) x") },
    deciding("histogram min", 1, Outer("8"),
        "reduce_by_index (replicate 8 {t}.highest) {t}.min {t}.highest (map (\\v -> {bin}) x) x"),
    rounding("wide histogram", 1, Keeps,
        "reduce_by_index (replicate {n} ({t}.i64 0)) (+) 0 (map (\\i -> (i * i) % {n}) (iota {n})) x"),
    moving("chunks of 4", Splits("({n} / 4)", "4"), "tabulate ({n} / 4) (\\i -> tabulate 4 (\\j -> x[4 * i + j]))"),
    deciding("filter", 1, Unknown, "filter (> {half}) x"),

    exact("transpose", 2, Swaps, "transpose x"),
    exact("transposed by index", 2, Swaps, "tabulate {m} (\\j -> tabulate {n} (\\i -> x[i, j]))"),
    exact("flatten", 2, Merges, "flatten x"),
    rounding("sum of rows", 2, Drops, "reduce (map2 (+)) (replicate {m} 0) x"),
    rounding("scan of rows", 2, Keeps, "scan (map2 (+)) (replicate {m} 0) x"),
    rounding("scan of columns", 2, Keeps, "transpose (map (scan (+) 0) (transpose x))"),
    exact("stencil 2d", 2, Keeps,
        "tabulate {n} (\\i -> tabulate {m} (\\j -> x[i, j] + x[i64.max 0 (i - 1), j] + x[i, i64.max 0 (j - 1)]))"),
    rounding("rows in turn", 2, Keeps, "loop y = copy x for i < {n} - 1 do y with [i + 1] = map2 (+) (copy y[i]) y[i + 1]"),
    rounding("matrix by row", 2, DropsInner, "map (\\r -> reduce (+) 0 (map2 (*) r x[0])) x"),
    deciding("filter rows", 2, Unknown, "filter (\\r -> any (> {half}) r) x"),
];

impl Elements {
    /// Returns whether the type is one of these.
    pub fn contain(self, element: Element) -> bool {
        match self {
            All => true,
            Floats => element.is_float(),
            Integers => !element.is_float(),
        }
    }
}

impl Element {
    /// All types, from the smallest on.
    pub const ALL: [Element; 6] = [U8, Element::I16, Element::I32, Element::F32, I64, F64];

    /// Returns the name in the array language.
    pub fn name(self) -> &'static str {
        match self {
            U8 => "u8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::F32 => "f32",
            I64 => "i64",
            F64 => "f64",
        }
    }

    /// Returns whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F32 | F64)
    }

    /// Fills the holes of a text for this type.
    pub fn fill(self, text: &str) -> String {
        let holes = match self.is_float() {
            true => [
                ("half", "0.5"),
                ("h", "0.5"),
                ("b", "0.25"),
                ("bin", "i64.{t} (v * 8) % 8"),
                ("scale", "100"),
            ],
            false => [("half", "50"), ("h", "3"), ("b", "1"), ("bin", "i64.{t} v % 8"), ("scale", "2")],
        };
        let fill = |text: String, (hole, value): &(&str, &str)| text.replace(&format!("{{{hole}}}"), value);
        holes.iter().fold(text.to_string(), fill).replace("{t}", self.name())
    }
}

/// Returns the operation of this name for this type.
pub fn operation(name: &str, element: Element) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name && operation.elements.contain(element))
}
