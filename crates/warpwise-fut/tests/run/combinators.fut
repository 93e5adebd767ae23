-- The second-order combinators on empty, single and longer arrays, of numbers, tuples and rows.
-- ==
-- entry: folds
-- input { [1i32, 2i32, 3i32, 4i32] }
-- output { 10i32 24i32 4i32 1i32 true false }
-- input { empty([0]i32) }
-- output { 0i32 1i32 -2147483648i32 2147483647i32 true false }
-- input { [-5i32] }
-- output { -5i32 -5i32 -5i32 -5i32 false true }

-- ==
-- entry: scans
-- input { [1i32, 2i32, 3i32, 4i32] }
-- output { [1i32, 3i32, 6i32, 10i32] [0i32, 1i32, 3i32, 6i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
-- input { [7i32] }
-- output { [7i32] [0i32] }

-- ==
-- entry: matrices
-- input { [[1i64, 1i64, 1i64, 0i64], [1i64, 1i64, 1i64, 0i64], [1i64, 1i64, 1i64, 0i64]] }
-- output { [[1i64, 1i64, 1i64, 0i64], [2i64, 1i64, 1i64, 1i64], [3i64, 2i64, 2i64, 1i64]] }

-- ==
-- entry: column_sums
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] }
-- output { [9i32, 12i32] }
-- input { empty([0][3]i32) }
-- output { [0i32, 0i32, 0i32] }

-- ==
-- entry: chosen
-- input { [5i32, -1i32, 0i32, 8i32, -3i32] }
-- output { [5i32, 8i32] [5i32, 8i32] [-1i32, 0i32, -3i32] [5i32, 8i32] [0i32] [-1i32, -3i32] 2i64 }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) 0i64 }

-- ==
-- entry: guarded
-- input { [1i32, 0i32, 2i32] }
-- output { [0i32] [1i32] [2i32] }

-- ==
-- entry: histograms
-- input { [0i64, 2i64, 1i64, 2i64, -1i64, 3i64] [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] }
-- output { [1i32, 3i32, 6i32] [11i32, 23i32, 36i32] [0i64, 2i64, 3i64] }

-- ==
-- entry: grid
-- input { [0i64, 1i64, 1i64, 5i64] [1i64, 0i64, 0i64, 0i64] [1i32, 2i32, 3i32, 4i32] }
-- output { [[0i32, 1i32], [5i32, 0i32]] [[9i32, 1i32], [3i32, 9i32]] }

-- ==
-- entry: written
-- input { [1i32, 2i32, 3i32] [2i64, 0i64, 7i64] [10i32, 20i32, 30i32] }
-- output { [20i32, 2i32, 10i32] [20i32, 0i32, 10i32] }

-- ==
-- entry: rows_written
-- input { [[1i32, 2i32], [3i32, 4i32]] [1i64, -1i64] [[7i32, 8i32], [9i32, 9i32]] }
-- output { [[1i32, 2i32], [7i32, 8i32]] }

-- ==
-- entry: zipped
-- input { [1i32, 2i32] [3i32, 4i32] [true, false] }
-- output { [1i32, 2i32] [3i32, 4i32] [true, false] [4i32, 6i32] [1i32, -1i32] }

-- ==
-- entry: independent
-- input { [1i32, 2i32, 3i32] }
-- output { [9i32, 2i32, 3i32] [1i32, 2i32, 3i32] [9i32, 2i32, 3i32] 6i32 }

-- ==
-- entry: irregular
-- input { 3i64 }
-- output { [[0i64, 1i64, 2i64, 3i64], [1i64, 2i64, 3i64, 4i64], [2i64, 3i64, 4i64, 5i64]] }
-- input { 0i64 }
-- output { empty([0][1]i64) }

-- ==
-- entry: units
-- input { 3i64 }
-- output { 3i64 5i64 }

entry folds [n] (xs: [n]i32) =
  (i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs, all (> 0) xs, any (< 0) xs)

entry scans [n] (xs: [n]i32) = (scan (+) 0 xs, exscan (+) 0 xs)

-- Products of matrices do not commute.
entry matrices [n] (ms: [n][4]i64) : [n][4]i64 =
  let multiply (a, b, c, d) (e, f, g, h) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  in map (\m -> (m[0], m[1], m[2], m[3])) ms
     |> scan multiply (1, 0, 0, 1)
     |> map (\(a, b, c, d) -> [a, b, c, d])

entry column_sums [n] [m] (xss: [n][m]i32) : [m]i32 = reduce (map2 (+)) (replicate m 0) xss

entry chosen [n] (xs: [n]i32) =
  let (positive, rest) = partition (> 0) xs
  let (more, zero, less) = partition2 (> 0) (== 0) xs
  in (filter (> 0) xs, positive, rest, more, zero, less, length more)

-- The second predicate is not asked where the first one holds.
entry guarded [n] (xs: [n]i32) = partition2 (== 0) (\x -> 6 / x == 6) xs

entry histograms [n] (is: [n]i64) (xs: [n]i32) =
  let pairs = hist (\(a, b) (c, d) -> (a + c, i64.max b d)) (0, 0) 3 is (zip xs (iota n))
  in (hist (+) 0 3 is xs, reduce_by_index [10, 20, 30] (+) 0 is xs, map (.1) pairs)

entry grid [n] (is: [n]i64) (js: [n]i64) (xs: [n]i32) =
  let places = zip is js
  in ( reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 places xs
     , scatter_2d (replicate 2 (replicate 2 9)) places xs
     )

entry written [n] (dest: *[n]i32) (is: [n]i64) (xs: [n]i32) =
  let blank = spread n 0 is xs
  in (scatter dest is xs, blank)

entry rows_written [n] [m] (dest: *[n][m]i32) (is: [n]i64) (rows: [n][m]i32) : [n][m]i32 =
  scatter dest is rows

entry zipped [n] (xs: [n]i32) (ys: [n]i32) (flags: [n]bool) =
  let (as, bs, cs) = unzip3 (zip3 xs ys flags)
  in (as, bs, cs, map2 (+) as bs, map3 (\a b c -> if c then a else b - a - 3) as bs cs)

-- A zip does not share storage with its arguments, whichever of them is overwritten.
entry independent [n] (xs: *[n]i32) =
  let before = zip xs (iota n)
  let changed = zip xs (iota n)
  let changed[0] = (9, 0)
  let total = i32.sum xs
  let xs[0] = 9
  in (xs, map (.0) before, map (.0) changed, total)

-- The size of a row is computed inside, and is the same for all rows.
entry irregular (n: i64) = map (\i -> map (+ i) (iota (n + 1))) (iota n)

entry units (n: i64) =
  let units = replicate n ()
  let more = map (\() -> ()) (units ++ [(), ()])
  in (length units, length more)
