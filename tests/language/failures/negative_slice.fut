-- A slice whose end lies before its start ends the run.
-- ==
-- input { [1, 2, 3] 2i64 }
-- error: out of bounds
-- input { [1, 2, 3] 0i64 }
-- output { [1] }
def main (xs: []i32) (i: i64) = xs[i:1]
