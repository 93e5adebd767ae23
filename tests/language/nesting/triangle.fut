-- A nest may have more than two levels, each of a size that depends on the outer levels.
-- ==
-- input { 4i64 } output { [0i64, 0i64, 1i64, 7i64] }
-- input { 0i64 } output { empty([0]i64) }
def main (n: i64) =
  tabulate n (\i -> i64.sum (tabulate i (\j -> i64.sum (tabulate (j + 1) (\k -> j * k)))))
