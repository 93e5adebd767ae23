-- `hist op ne k is vs` makes `k` bins; the operator `op` combines the values that have the same index.
-- ==
-- input { [0i64, 1i64, 0i64] [5, 6, 7] }
-- output { [12, 6, 0] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [0, 0, 0] }
def main [n] (is: [n]i64) (vs: [n]i32) = hist (+) 0 3 is vs
