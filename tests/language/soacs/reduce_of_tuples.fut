-- The operator of a reduction may combine tuples, here to find the largest element and its index.
-- ==
-- input { [3, 9, 2, 9] }
-- output { 9 1i64 }
-- input { [5] }
-- output { 5 0i64 }
def main [n] (xs: [n]i32) =
  let later (x, i) (y, j) = if y > x || (y == x && j < i) then (y, j) else (x, i)
  in reduce later (i32.lowest, n) (zip xs (iota n))
