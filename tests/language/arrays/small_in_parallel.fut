-- Parallel code may use small arrays: updated in a loop, as matrices and vectors, swapped in a loop, and of bytes.
-- ==
-- entry: main
-- random input { [1000]f32 [1000]i64 }
-- auto output

-- ==
-- entry: mat
-- random input { [1000][3][3]f32 [1000][3]f32 }
-- auto output

-- ==
-- entry: swap
-- random input { [1000]i64 }
-- auto output

-- ==
-- entry: bytes
-- random input { [1000]u8 }
-- auto output
entry main [n] (xs: [n]f32) (k: [n]i64) : [n]f32 =
  map2 (\x i -> let a = [x, x * 2, x * 3, x * 4]
                let b = loop a for j < 10 do a with [j % 4] = a[(j + 1) % 4] + a[i % 4]
                in b[0] + b[3]) xs k
entry mat [n] (ms: [n][3][3]f32) (vs: [n][3]f32) : [n][3]f32 =
  map2 (\m v -> loop v for i < 5 do map (\r -> f32.sum (map2 (*) r v)) m) ms vs
entry swap [n] (xs: [n]i64) : [n]i64 =
  map (\x -> let (a, b) = loop (a, b) = ([x, x + 1, x + 2], [x * 2, 3, 4]) for i < (x & 7) do (b, map2 (+) a b) in a[0] + b[x & 1]) xs
entry bytes [n] (xs: [n]u8) : [n]u8 =
  map (\x -> let a = [x, 1, 2, x ^ 3, x + 9]
             let b = loop a for i < 9 do let k = i64.u8 a[i % 5] % 5 in a with [k] = a[(k + 1) % 5] + 1
             in u8.sum b + b[1]) xs
