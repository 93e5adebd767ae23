-- A sum, difference or product of sizes that does not fit in 64 bits is a run-time error; sizes never wrap around.
-- ==
-- entry: joined
-- input { 2i64 1i64 }
-- output { [0i64, 1i64, 0i64] }
-- input { 9223372036854775807i64 1i64 }
-- error: Size 9223372036854775807 \+ 1 does not fit in 64 bits
-- input { 4611686018427387904i64 4611686018427387904i64 }
-- error: Size 4611686018427387904 \+ 4611686018427387904 does not fit

-- ==
-- entry: flat
-- input { 3i64 2i64 }
-- output { 6i64 }
-- input { 4294967296i64 2147483647i64 }
-- output { 9223372032559808512i64 }
-- input { 4294967296i64 2147483648i64 }
-- error: Size 4294967296 \* 2147483648 does not fit in 64 bits
-- input { 0i64 9223372036854775807i64 }
-- output { 0i64 }

-- ==
-- entry: rows
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6] }
-- output { [[1, 2, 3], [4, 5, 6]] }
-- input { 0i64 9223372036854775807i64 empty([0]i32) }
-- output { empty([0][9223372036854775807]i32) }
-- input { 4294967296i64 4294967296i64 empty([0]i32) }
-- error: Size 4294967296 \* 4294967296 does not fit in 64 bits
-- input { 6148914691236517206i64 3i64 [1, 2] }
-- error: Size 6148914691236517206 \* 3 does not fit in 64 bits
-- input { -1i64 -1i64 [1] }
-- error: Cannot unflatten array of shape \[1\] to array of shape \[-1\]\[-1\]

-- ==
-- entry: cube
-- input { 1i64 2i64 1i64 [1, 2] }
-- output { 2 }
-- input { 4194304i64 4194304i64 1048576i64 empty([0]i32) }
-- error: Size 17592186044416 \* 1048576 does not fit in 64 bits

-- ==
-- entry: parameter
-- input { [1] [2, 3] }
-- output { 3 }
-- input { [1] [2] }
-- error: invalid size

-- ==
-- entry: in_map
-- input { 2i64 [1i64, 3i64] }
-- output { [2i64, 6i64] }
-- input { 4294967296i64 [1i64, 4294967296i64, 4294967297i64] }
-- error: Size 4294967296 \* 4294967296 does not fit

-- ==
-- entry: difference
-- input { -9223372036854775808i64 9223372036854775807i64 [1] }
-- error: Size -9223372036854775808 - 9223372036854775807 does not fit in 64 bits
-- input { 3i64 2i64 [1] }
-- output { [1] }
entry joined (n: i64) (m: i64) : []i64 = iota n ++ iota m

entry flat (n: i64) (m: i64) : i64 = length (flatten (replicate n (replicate m true)))

entry rows (n: i64) (m: i64) (xs: []i32) : [][]i32 = unflatten (xs :> [n * m]i32)

entry cube (n: i64) (m: i64) (k: i64) (xs: []i32) : i32 =
  let cube = unflatten_3d (xs :> [n * m * k]i32) in cube[0, 1, 0]

entry parameter [n] (xs: [n]i32) (ys: [n + 1]i32) : i32 = xs[0] + ys[n - 1]

entry in_map (n: i64) (ms: []i64) : []i64 =
  map (\m -> length (flatten (replicate n (replicate m true)))) ms

entry difference (n: i64) (m: i64) (xs: []i32) : []i32 = xs :> [n - m]i32
