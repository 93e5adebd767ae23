-- Indexing, slicing, updates, ranges: results and messages.
-- ==
-- entry: element
-- input { [1i32, 2i32, 3i32] 2i64 }
-- output { 3i32 }
-- input { [1i32, 2i32, 3i32] 3i64 }
-- error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1i32, 2i32, 3i32] -1i64 }
-- error: Index \[-1\] out of bounds for array of shape \[3\]
-- input { empty([0]i32) 0i64 }
-- error: out of bounds

-- ==
-- entry: element_2d
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i32 0u8 }
-- output { 3i32 }
-- input { [[1i32, 2i32], [3i32, 4i32]] 3i32 7u8 }
-- error: Index \[3, 7\] out of bounds for array of shape \[2\]\[2\]

-- ==
-- entry: slice
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 1i64 4i64 2i64 }
-- output { [1i32, 3i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 4i64 -1i64 -2i64 }
-- output { [4i32, 2i32, 0i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 3i64 3i64 1i64 }
-- output { empty([0]i32) }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 0i64 5i64 1i64 }
-- output { [0i32, 1i32, 2i32, 3i32, 4i32] }
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 0i64 6i64 1i64 }
-- error: Index \[0:6:1\] out of bounds for array of shape \[5\]
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 3i64 1i64 1i64 }
-- error: Index \[3:1:1\] out of bounds
-- input { [0i32, 1i32, 2i32, 3i32, 4i32] 0i64 3i64 0i64 }
-- error: Index \[0:3:0\] out of bounds

-- ==
-- entry: parts
-- input { [1i32, 2i32, 3i32, 4i32] }
-- output { [4i32, 3i32, 2i32, 1i32] [2i32, 3i32, 4i32] [1i32, 2i32, 3i32] [1i32, 2i32] [3i32, 4i32] [2i32, 3i32, 4i32, 1i32] [4i32, 1i32, 2i32, 3i32] }

-- ==
-- entry: put
-- input { [1i32, 2i32, 3i32] 1i64 9i32 }
-- output { [1i32, 9i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 5i64 9i32 }
-- error: Index \[5\] out of bounds for array of shape \[3\]

-- ==
-- entry: put_row
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i64 [7i32, 8i32] }
-- output { [[1i32, 2i32], [7i32, 8i32]] }

-- ==
-- entry: ranges
-- input { 0i64 5i64 }
-- output { [0i64, 1i64, 2i64, 3i64, 4i64] [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] [5i64, 4i64, 3i64, 2i64, 1i64] [0i64, 2i64, 4i64] }
-- input { 3i64 3i64 }
-- output { empty([0]i64) [3i64] empty([0]i64) empty([0]i64) }

-- ==
-- entry: stepped
-- input { 0i32 3i32 10i32 }
-- output { [0i32, 3i32, 6i32, 9i32] }
-- input { 0i32 1i32 -2i32 }
-- error: Range 0..1..<-2 is invalid
-- input { 2i32 2i32 9i32 }
-- error: Range 2..2..<9 is invalid

-- ==
-- entry: narrow
-- input { }
-- output { 200i64 3i64 [250u8, 253u8] }

-- ==
-- entry: nothing
-- input { -1i64 }
-- error: Range 0..1..<-1 is invalid
-- input { 0i64 }
-- output { 0i64 }

-- ==
-- entry: repeated
-- input { -3i64 }
-- error: is invalid
-- input { 2i64 }
-- output { [[1u8, 2u8], [1u8, 2u8]] }

-- ==
-- entry: coerced
-- input { [1i32, 2i32] 2i64 }
-- output { [1i32, 2i32] }
-- input { [1i32, 2i32] 3i64 }
-- error: Value of shape \[2\] cannot match shape of type "\[3\]i32"

-- ==
-- entry: shapes
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }
-- output { [[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }

-- ==
-- entry: equal
-- input { [1i32, 2i32] [1i32, 2i32] }
-- output { true }
-- input { [1i32, 2i32] [1i32, 3i32] }
-- output { false }

entry element [n] (xs: [n]i32) (i: i64) = xs[i]

entry element_2d [n] [m] (xs: [n][m]i32) (i: i32) (j: u8) = xs[i, i64.u8 j]

entry slice (xs: []i32) (i: i64) (j: i64) (s: i64) = xs[i:j:s]

entry parts [n] (xs: [n]i32) =
  (reverse xs, tail xs, init xs, take 2 xs, drop 2 xs, rotate 1 xs, rotate (-1) xs)

entry put [n] (xs: *[n]i32) (i: i64) (x: i32) : [n]i32 = xs with [i] = x

entry put_row [n] [m] (xs: *[n][m]i32) (i: i64) (row: [m]i32) : [n][m]i32 = xs with [i] = row

entry ranges (a: i64) (b: i64) = (a..<b, a...b, b..>a, a..a + 2..<b)

entry stepped (a: i32) (b: i32) (c: i32) = a..b..<c

entry narrow = (length ((-100i8)..<100i8), length (0u8..100u8..<255u8), 250u8..253u8...255u8)

entry nothing (n: i64) = length (iota n)

entry repeated (n: i64) = replicate n [1u8, 2u8]

entry coerced [n] (xs: [n]i32) (m: i64) = xs :> [m]i32

entry shapes [n] [m] (xs: [n][m]i32) =
  (transpose xs, flatten xs, (unflatten (flatten xs)) :> [n][m]i32, xs ++ xs)

entry equal (xs: []i32) (ys: []i32) = xs == ys
