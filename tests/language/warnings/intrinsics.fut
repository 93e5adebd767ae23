-- The functions from which the prelude is built may be used at one's own risk.
-- ==
-- warning: W0009.*:6:46
-- input { [1i64, 2] [3i64, 4] }
-- output { [1i64, 2, 3, 4] }
def main (xs: [2]i64) (ys: [2]i64) : []i64 = intrinsics.flatten [xs, ys]
