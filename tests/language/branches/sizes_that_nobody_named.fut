-- Unnamed sizes of parameters are distinct, and an `if` between such parameters has a result of unknown size.
-- ==
-- entry: either
-- input { true [1, 2] [3] }
-- output { [1, 2] }
-- input { false [1, 2] [3] }
-- output { [3] }
-- input { false [1, 2] empty([0]i32) }
-- output { empty([0]i32) }
entry either (c: bool) (xs: []i32) (ys: []i32) = if c then xs else ys

-- ==
-- entry: rows
-- input { true [[1, 2]] [[3], [4]] }
-- output { 3 1i64 }
-- input { false [[1, 2]] [[3], [4]] }
-- output { 7 2i64 }
entry rows (c: bool) (xss: [][]i32) (yss: [][]i32) =
  let zss = if c then xss else yss
  in (i32.sum (flatten zss), length zss)

-- ==
-- entry: or_made_here
-- input { 3i64 [5] }
-- output { [5] }
-- input { 2i64 empty([0]i32) }
-- output { [0, 0] }
entry or_made_here (n: i64) (xs: []i32) = if n > 2 then xs else replicate n 0
