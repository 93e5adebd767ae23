-- The operator of a histogram may use array operations.
-- ==
-- input { 3i64 [0i64, 1i64, 0i64] [5i64, 6i64, 7i64] }
-- output { [12i64, 6i64] }
-- input { 0i64 [0i64, 1i64, 0i64] [5i64, 6i64, 7i64] }
-- output { [12i64, 6i64] }
-- input { 1i64 empty([0]i64) empty([0]i64) }
-- output { [0i64, 0i64] }
def main [n] (m: i64) (is: [n]i64) (xs: [n]i64) : [2]i64 =
  let op (a: i64) (b: i64) : i64 =
    let sums = scan (+) 0 (map (\i -> if i == 0 then a + b else 0) (iota (m + 1)))
    in sums[m]
  in reduce_by_index (replicate 2 0i64) op 0 is xs
