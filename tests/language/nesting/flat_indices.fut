-- A `map`, `reduce`, `scatter` or histogram over a flat range may divide its index by the length of a row, whether rows are whole or not.
-- ==
-- entry: pairs
-- input { 0i64 20i64 } output { empty([0]i64) }
-- input { 1i64 1i64 } output { [0i64] }
-- input { 3i64 2i64 } output { [0i64, 1i64, 1000i64, 1001i64, 2000i64, 2001i64] }
-- input { 2i64 -3i64 } error: Range 0\.\.1\.\.<-6 is invalid
-- input { -1i64 -3i64 } output { [0i64, -1002i64, -1001i64] }
-- input { 17i64 33i64 } auto output
-- input { 1i64 64i64 } auto output
-- input { 64i64 1i64 } auto output

-- ==
-- entry: ragged
-- input { 5i64 0i64 } error: division by zero
-- input { 0i64 0i64 } output { empty([0]i64) }
-- input { 5i64 2i64 } output { [0i64, 1i64, 1000i64, 1001i64, 2000i64] }
-- input { 5i64 -2i64 } output { [0i64, -1001i64, -1000i64, -2001i64, -2000i64] }
-- input { 67i64 16i64 } auto output
-- input { 64i64 16i64 } auto output
-- input { 64i64 64i64 } auto output
-- input { 64i64 128i64 } auto output

-- ==
-- entry: of_32_bits
-- input { 2i32 20i32 } auto output
-- input { 3i32 5i32 } auto output
-- input { 3i32 0i32 } output { empty([0]i32) }
-- input { -2i32 -20i32 } auto output
-- input { 65536i32 65536i32 } output { empty([0]i32) }

-- ==
-- entry: unsigned
-- input { 40i64 20u32 } auto output
-- input { 41i64 20u32 } auto output
-- input { 40i64 0u32 } error: division by zero
-- input { 40i64 4294967276u32 } auto output

-- ==
-- entry: both
-- input { 40i64 20i64 } auto output
-- input { 40i64 -20i64 } auto output

-- ==
-- entry: boxes
-- input { 2i64 3i64 20i64 } auto output
-- input { 2i64 20i64 3i64 } auto output
-- input { 0i64 3i64 20i64 } output { empty([0]i64) }
-- input { 2i64 0i64 20i64 } output { empty([0]i64) }
-- input { -2i64 -3i64 20i64 } auto output

-- ==
-- entry: colours
-- input { 4i64 7i64 } auto output
-- input { 4i64 1i64 } auto output

-- ==
-- entry: torus
-- random input { 5i64 32i64 [160]i32 } auto output
-- random input { 5i64 32i64 [161]i32 } auto output
-- random input { 5i64 31i64 [155]i32 } auto output
-- random input { 1i64 16i64 [16]i32 } auto output
-- random input { 5i64 32i64 [159]i32 } error: Index \[159\] out of bounds for array of shape \[159\]

-- ==
-- entry: neighbours
-- random input { 5i64 32i64 [160]i32 } auto output
-- random input { 5i64 3i64 [15]i32 } auto output
-- random input { 5i64 32i64 [150]i32 } error: Index \[150\] out of bounds for array of shape \[150\]

-- ==
-- entry: clamped
-- random input { 5i32 32i32 [160]i32 } auto output
-- random input { 1i32 16i32 [16]i32 } auto output
-- random input { 5i32 3i32 [15]i32 } auto output
-- random input { 5i32 32i32 [159]i32 } error: Index \[159\] out of bounds for array of shape \[159\]

-- ==
-- entry: shifted
-- random input { 2i64 32i64 [65]i32 } auto output
-- random input { 2i64 32i64 [64]i32 } error: Index \[64\] out of bounds for array of shape \[64\]

-- ==
-- entry: total
-- input { 0i64 } output { 0i64 0i64 }
-- input { 1i64 } output { 0i64 0i64 }
-- input { 40i64 } auto output

-- ==
-- entry: product
-- random input { [20][20]i32 [20][20]i32 } auto output
-- random input { [3][3]i32 [3][3]i32 } auto output
-- input { empty([0][0]i32) empty([0][0]i32) } output { empty([0]i32) }

-- ==
-- entry: transposed
-- random input { 3i64 20i64 [60]i32 } auto output
-- random input { 3i64 20i64 [59]i32 } auto output
-- random input { 20i64 3i64 [60]i32 } auto output
-- input { 3i64 20i64 empty([0]i32) } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: rows
-- random input { 3i64 20i64 [60]i32 } auto output
-- random input { 3i64 20i64 [61]i32 } auto output
-- input { 2i64 0i64 [1i32] } error: division by zero

-- ==
-- entry: iterated
-- random input { 3i64 20i64 [60]i32 } auto output
-- random input { 30i64 20000i64 [600000]i32 } auto output

entry pairs (h: i64) (w: i64) = tabulate (h * w) (\k -> (k / w) * 1000 + k % w)

entry ragged (n: i64) (w: i64) = tabulate n (\k -> (k / w) * 1000 + k % w)

entry of_32_bits (h: i32) (w: i32) =
  tabulate (i64.i32 (h * w)) (\k -> let k = i32.i64 k in (k / w) * 1000 + (k - (k / w) * w))

entry unsigned (n: i64) (w: u32) =
  tabulate n (\k -> (u32.i64 k / w) * 1000 + u32.i64 k % w)

-- The same divisor with and without a sign.
entry both (n: i64) (w: i64) =
  tabulate n (\k -> (i64.u64 (u64.i64 k / u64.i64 w), k % w, k // w, k %% w))

entry boxes (d: i64) (h: i64) (w: i64) =
  tabulate (d * h * w) (\k ->
    let rest = k % (h * w)
    in (k / (h * w)) * 1000000 + ((k / w) % h) * 1000 + k % w + (rest / w) * 7 + rest)

entry colours (h: i64) (w: i64) =
  tabulate (h * w * 3) (\k -> (k / (3 * w)) * 10000 + ((k / 3) % w) * 10 + k % 3)

entry torus [n] (h: i64) (w: i64) (a: [n]i32) =
  tabulate (h * w) (\k ->
    let (y, x) = (k / w, k % w)
    let at dy dx = a[((y + dy + h) % h) * w + (x + dx + w) % w]
    in at (-1) 0 + 3 * at 0 (-1) + 5 * at 0 1 - at 1 1 + a[k])

entry neighbours [n] (h: i64) (w: i64) (a: [n]i32) =
  tabulate (h * w) (\k ->
    let (y, x) = (k / w, k % w)
    let up = if y > 0 then a[k - w] else 1
    let down = if y < h - 1 then a[k + w] else 2
    let left = if x > 0 then a[k - 1] else 3
    let right = if x < w - 1 then a[k + 1] else 4
    in up + 3 * down + 5 * left + 7 * right - a[k])

entry clamped [n] (h: i32) (w: i32) (a: [n]i32) =
  tabulate (i64.i32 (h * w)) (\k ->
    let k = i32.i64 k
    let (y, x) = (k / w, k % w)
    let at dy dx = a[i32.max 0 (i32.min (h - 1) (y + dy)) * w + i32.max 0 (i32.min (w - 1) (x + dx))]
    in at (-1) 0 + 3 * at 0 (-1) + 5 * at 0 1 - at 1 1)

-- The last place is outside.
entry shifted [n] (h: i64) (w: i64) (a: [n]i32) =
  tabulate (h * w) (\k -> a[k + 1] + i32.i64 (k / w - k % w))

entry total (n: i64) =
  let cells = tabulate (n * n) (\k -> let (i, j) = (k / n, k % n) in i * j + i ^ j)
  in (i64.sum cells, reduce (\x y -> if y == 0 then x else y) 0 (tabulate (n * n) (\k -> (k / n) * 100 + k % n)))

entry product [n] (a: [n][n]i32) (b: [n][n]i32) =
  tabulate (n * n) (\k -> i32.sum (map (\l -> a[k / n, l] * b[l, k % n]) (iota n)))

-- Two scatters to the same places.
entry transposed [n] (h: i64) (w: i64) (a: [n]i32) =
  let place k = (k % w) * h + k / w
  in ( scatter (replicate n 0) (tabulate n place) a
     , scatter (replicate n 0) (tabulate n place) (map (* 2) a))

entry rows [n] (h: i64) (w: i64) (a: [n]i32) =
  reduce_by_index (replicate h 0) (+) 0 (tabulate n (\k -> k / w)) (tabulate n (\k -> a[k] * i32.i64 (k % w)))

entry iterated [n] (h: i64) (w: i64) (a: [n]i32) =
  loop a = a for _i < 3i32 do
    tabulate n (\k -> a[(k / w) * w + (k % w + 1) % w] - i32.i64 (k / w) % i32.i64 h)
