-- If a `map` fails, the failure of the first failing element is reported.
-- ==
-- input { [3i64, 5i64, 7i64] }
-- error: Index \[5\] out of bounds for array of shape \[4\]
-- input { [3i64, 0i64] }
-- output { [40, 10] }
-- input { empty([0]i64) }
-- output { empty([0]i32) }
def main (is: []i64) = let xs = [10i32, 20, 30, 40] in map (\i -> xs[i]) is
