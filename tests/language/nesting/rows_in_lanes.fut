-- Rows inside a `map` may be copied, concatenated, filled, rotated, moved and updated, whatever their number and length.
-- ==
-- entry: appended
-- input { empty([0][3]i32) } auto output
-- random input { [1][1000]i32 } auto output
-- input { empty([2][0]i32) } auto output
-- random input { [4][37]i32 } auto output
-- random input { [5][37]i32 } auto output
-- random input { [70][1]i32 } auto output
-- random input { [100][3]i32 } auto output
-- random input { [33][17]i32 } auto output

-- ==
-- entry: prefixes
-- input { empty([0][3]i16) } auto output
-- random input { [1][1000]i16 } auto output
-- input { empty([2][0]i16) } auto output
-- random input { [4][37]i16 } auto output
-- random input { [5][37]i16 } auto output
-- random input { [70][1]i16 } auto output
-- random input { [100][3]i16 } auto output
-- random input { [33][17]i16 } auto output

-- ==
-- entry: one_hot
-- input { empty([0][3]u8) } auto output
-- random input { [1][1000]u8 } auto output
-- input { empty([2][0]u8) } auto output
-- random input { [4][37]u8 } auto output
-- random input { [5][37]u8 } auto output
-- random input { [70][1]u8 } auto output
-- random input { [100][3]u8 } auto output
-- random input { [33][17]u8 } auto output

-- ==
-- entry: thrice
-- input { empty([0][3]i64) } auto output
-- random input { [1][1000]i64 } auto output
-- input { empty([2][0]i64) } auto output
-- random input { [4][37]i64 } auto output
-- random input { [5][37]i64 } auto output
-- random input { [70][1]i64 } auto output
-- random input { [100][3]i64 } auto output
-- random input { [33][17]i64 } auto output

-- ==
-- entry: rotated
-- input { empty([0][3]f32) } auto output
-- random input { [1][1000]f32 } auto output
-- input { empty([2][0]f32) } auto output
-- random input { [4][37]f32 } auto output
-- random input { [5][37]f32 } auto output
-- random input { [70][1]f32 } auto output
-- random input { [100][3]f32 } auto output
-- random input { [33][17]f32 } auto output

-- ==
-- entry: weighted
-- input { empty([0][3]i32) } auto output
-- random input { [1][1000]i32 } auto output
-- input { empty([2][0]i32) } auto output
-- random input { [4][37]i32 } auto output
-- random input { [5][37]i32 } auto output
-- random input { [70][1]i32 } auto output
-- random input { [100][3]i32 } auto output
-- random input { [33][17]i32 } auto output

-- ==
-- entry: looked_up
-- input { empty([0][3]i64) } auto output
-- random input { [1][1000]i64 } auto output
-- input { empty([2][0]i64) } auto output
-- random input { [4][37]i64 } auto output
-- random input { [5][37]i64 } auto output
-- random input { [70][1]i64 } auto output
-- random input { [100][3]i64 } auto output
-- random input { [33][17]i64 } auto output

-- ==
-- entry: unsigned
-- input { empty([0][3]u64) } auto output
-- random input { [1][1000]u64 } auto output
-- input { empty([2][0]u64) } auto output
-- random input { [4][37]u64 } auto output
-- random input { [5][37]u64 } auto output
-- random input { [70][1]u64 } auto output
-- random input { [100][3]u64 } auto output
-- random input { [33][17]u64 } auto output

-- ==
-- entry: moved
-- input { empty([0][3]i32) } auto output
-- random input { [1][1000]i32 } auto output
-- input { empty([2][0]i32) } auto output
-- random input { [4][37]i32 } auto output
-- random input { [5][37]i32 } auto output
-- random input { [70][1]i32 } auto output
-- random input { [100][3]i32 } auto output
-- random input { [33][17]i32 } auto output
entry appended [n][m] (xs: [n][m]i32) = map (\x -> x ++ reverse x) xs

entry prefixes [n][m] (xs: [n][m]i16) : [n][m]i16 =
  map (\x -> loop y = copy x for i < m - 1 do y with [i + 1] = y[i] * 3 + y[i + 1]) xs

entry one_hot [n][m] (xs: [n][m]u8) : [n][m][8]u8 =
  map (map (\x -> replicate 8 0 with [i64.u8 (x % 8)] = 1)) xs

entry thrice [n][m] (xs: [n][m]i64) : [n][m][3]i64 = map (map (\x -> replicate 3 (x + 1))) xs

entry rotated [n][m] (xs: [n][m]f32) : [n][m]f32 = map (rotate 2) xs

entry weighted [n][m] (xs: [n][m]i32) : [n]i32 = map (\x -> loop s = 0 for i < m do s * 3 + x[i]) xs

-- Most dividends and divisors have 32 bits, some have more.
entry looked_up [n][m] (xs: [n][m]i64) : [n][m](i64, i64) =
  map (\x -> map2 (\v i -> (x[(i * 7 - 3) % m], (if i % 64 == 5 then v else i - m) / (if v % 3 == 0 then -1 else i + 1))) x (iota m)) xs

entry unsigned [n][m] (xs: [n][m]u64) : [n][m](u64, u64) =
  map (\x -> map2 (\v i -> (v / (u64.i64 i + 1), u64.i64 (i + m) % (if i % 64 == 7 then v / 2 + 1 else u64.i64 i + 1))) x (iota m)) xs

entry moved [n][m] (xs: [n][m]i32) : [n][m]i32 =
  scatter (copy xs) (map (\i -> (i + n / 2) % n) (iota n)) xs
