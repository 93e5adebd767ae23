-- Positions without an element do not fail: operators apply to elements, whatever they do with their neutral element.
-- ==
-- entry: sums
-- input { [1, 2, 3] } output { [1, 3, 6] 6 }
-- input { empty([0]i32) } output { empty([0]i32) 0 }
-- input { [1, 0, 3] } error: .
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] } output { [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153] 153 }
entry sums (xs: []i32) : ([]i32, i32) =
  let plus a b = assert (b > 0) (a + b)
  in (scan plus 0 xs, reduce plus 0 xs)
-- ==
-- entry: quotients
-- input { [4i64, 2i64, 3i64] } output { [0i64, 0i64, 0i64] }
-- input { [1i64, 0i64, 3i64] } error: division by zero
entry quotients (xs: []i64) : []i64 = scan (/) 0 xs
-- ==
-- entry: composed
-- input { [1i64, 2i64, 0i64] 9i64 } output { [1i64, 2i64, 0i64, 1i64, 2i64, 0i64, 1i64, 2i64, 0i64] }
-- input { [1i64, 2i64, 7i64] 9i64 } error: out of bounds
entry composed (table: []i64) (n: i64) : []i64 = scan (\a _ -> table[a]) 0 (iota n)
-- ==
-- entry: rows
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [6i64, 15i64] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] }
-- input { [[1i64, 2i64, 3i64], [4i64, 0i64, 6i64]] } error: .
-- input { empty([2][0]i64) } output { [0i64, 0i64] empty([2][0]i64) }
entry rows [n][m] (xss: [n][m]i64) : ([n]i64, [n][m]i64) =
  let plus a b = assert (b > 0) (a + b)
  in (map (reduce plus 0) xss, map (scan plus 0) xss)
-- ==
-- entry: bins
-- input { [0i64, 1i64, 0i64, 5i64] [1i64, 2i64, 3i64, 0i64] } output { [4i64, 2i64, 0i64] }
-- input { [0i64, 1i64, 0i64, 2i64] [1i64, 2i64, 3i64, 0i64] } error: .
entry bins [n] (is: [n]i64) (xs: [n]i64) : [3]i64 =
  reduce_by_index (replicate 3 0) (\a b -> assert (b > 0) (a + b)) 0 is xs
-- ==
-- entry: positive
-- input { [3i64, 5i64, 10i64] } output { [10i64] }
-- input { [3i64, 0i64] } error: division by zero
entry positive (xs: []i64) : []i64 = filter (\x -> 100 / x == 10) xs
