-- A regular nest may contain loops with parallel work in each iteration, loops along rows, reductions, and histograms of rows.
-- ==
-- entry: rods
-- input { [[0i64, 8i64, 0i64], [1i64, 1i64, 1i64]] 1i64 } output { [[8i64, 16i64, 8i64], [4i64, 4i64, 4i64]] }
-- input { [[0i64, 8i64, 0i64], [1i64, 1i64, 1i64]] 0i64 } output { [[0i64, 8i64, 0i64], [1i64, 1i64, 1i64]] }
-- random input { [3][70]i64 7i64 } auto output
-- random input { [5][1]i64 3i64 } auto output
-- input { empty([0][3]i64) 2i64 } output { empty([0][3]i64) }
-- input { empty([2][0]i64) 2i64 } output { empty([2][0]i64) }

-- ==
-- entry: systems
-- input { [[[2f64, 4f64], [6f64, 8f64]]] } output { [[[2f64, 3f64], [6f64, 5f64]]] }
-- random input { [2][40][33]f64 } auto output
-- random input { [1][1][1]f64 } auto output
-- input { empty([2][3][0]f64) } output { empty([2][3][0]f64) }

-- ==
-- entry: rounds_in_rounds
-- random input { [4][35]i64 3i64 2i64 } auto output
-- input { [[5i64]] 0i64 4i64 } output { [[5i64]] }
-- input { [[5i64]] 1i64 0i64 } output { [[6i64]] }

-- ==
-- entry: greatest_sum
-- input { [[1i64, 2i64], [5i64, -1i64]] } output { 4i64 [[2i64, 4i64], [10i64, -2i64]] }
-- random input { [3][200]i64 } auto output
-- input { empty([0][3]i64) } output { -9223372036854775808i64 empty([0][3]i64) }

-- ==
-- entry: counted
-- input { [0i64, 1i64, 0i64, 7i64] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [7i32, 8i32]] }
-- output { [[6i32, 8i32], [3i32, 4i32], [0i32, 0i32]] }
-- input { empty([0]i64) empty([0][2]i32) } output { [[0i32, 0i32], [0i32, 0i32], [0i32, 0i32]] }

-- ==
-- entry: failing
-- input { [[1i64, 2i64], [3i64, 4i64]] 1i64 } output { [[2i64, 3i64], [6i64, 7i64]] }
-- input { [[1i64, 2i64], [3i64, 4i64]] 3i64 } error: Index \[2\] out of bounds for array of shape \[2\]
entry rods [n] [m] (rods: [n][m]i64) (steps: i64) : [n][m]i64 =
  map (\rod -> loop rod for _step < steps do
         tabulate m (\i -> rod[i64.max 0 (i - 1)] + 2 * rod[i] + rod[i64.min (m - 1) (i + 1)]))
      rods

entry systems [n] [m] [k] (a: [n][m][k]f64) : [n][m][k]f64 =
  map (\rows ->
         let solved = map (\row -> loop row = copy row for i < k - 1 do row with [i + 1] = row[i + 1] - 0.5 * row[i]) rows
         let back = map (\row -> loop row = copy row for j < k - 1 do
                           let i = k - 2 - j in row with [i] = row[i] + 0 * row[i + 1])
                        solved
         in back)
      a

entry rounds_in_rounds [n] [m] (xss: [n][m]i64) (outer: i64) (inner: i64) : [n][m]i64 =
  map (\xs -> loop xs for r < outer do
         let ys = loop ys = xs for s < inner do map (\y -> y * 3 - s) ys
         in map2 (\x y -> x - y * r) (map (+ 1) xs) ys)
      xss

entry greatest_sum [n] [m] (xss: [n][m]i64) : (i64, [n][m]i64) =
  let (sums, yss) = unzip (map (\xs -> let ys = map (* 2) xs in (i64.sum ys - xs[0] * 2 + ys[0] - ys[m - 1] + xs[m - 1] * 2, ys)) xss)
  in (i64.maximum (map (\s -> s - s / 2) sums), yss)

entry counted [n] [m] (at: [n]i64) (rows: [n][m]i32) : [3][m]i32 =
  hist (map2 (+)) (replicate m 0) 3 at rows

entry failing [n] [m] (xss: [n][m]i64) (steps: i64) : [n][m]i64 =
  map (\xs -> loop xs for s < steps do map (\x -> x + xs[s + m - 2]) xs) xss
