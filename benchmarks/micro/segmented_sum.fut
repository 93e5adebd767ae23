-- Many sums at once: of equally long rows, and of segments of any length.
-- ==
-- entry: rows
-- input { [[0.0f32, 1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32, 7.0f32], [8.0f32, 9.0f32, 10.0f32,
--   11.0f32]] }
-- output { [6.0f32, 22.0f32, 38.0f32] }
-- input { empty([2][0]f32) }
-- output { [0.0f32, 0.0f32] }
-- input { empty([0][2]f32) }
-- output { empty([0]f32) }
-- random input { [1000][4]f32 }
-- auto output
-- random input { [17][1000]f32 }
-- auto output
-- random input { [1][100003]f32 }
-- auto output
-- "25000000 rows of 4" notest random input { [25000000][4]f32 }
-- "1000000 rows of 100" notest random input { [1000000][100]f32 }
-- "10000 rows of 10000" notest random input { [10000][10000]f32 }
-- "100 rows of 1000000" notest random input { [100][1000000]f32 }

-- ==
-- entry: marked
-- input { [true, false, false, true, true, false] [1.0f32, 2.0f32, 3.0f32, 4.0f32, 5.0f32, 6.0f32] }
-- output { [6.0f32, 4.0f32, 11.0f32] }
-- input { empty([0]bool) empty([0]f32) }
-- output { empty([0]f32) }
-- input { [false] [9.0f32] }
-- output { [9.0f32] }
-- random input { [10007]bool [10007]f32 }
-- auto output
-- "large" notest random input { [50000000]bool [50000000]f32 }

entry rows [n] [m] (xss: [n][m]f32) : [n]f32 = map f32.sum xss

-- The sum of every segment, where `starts` marks the first element of each.
entry marked [n] (starts: [n]bool) (xs: [n]f32) : []f32 =
  let add (f, x) (g, y) = (f || g, if g then y else x + y)
  let sums = scan add (false, 0) (zip starts xs)
  let ends = tabulate n (\i -> if i == n - 1 then true else starts[i + 1])
  in zip ends sums |> filter (\(end, _) -> end) |> map (\(_, (_, sum)) -> sum)
