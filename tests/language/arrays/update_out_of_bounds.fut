-- An update out of bounds ends the run.
-- ==
-- input { [1, 2] 2i64 }
-- error: Index \[2\] out of bounds for array of shape \[2\]
-- input { empty([0]i32) 0i64 }
-- error: Index \[0\] out of bounds for array of shape \[0\]
-- input { [1, 2] 1i64 }
-- output { [1, 0] }
def main (xs: *[]i32) (i: i64) = xs with [i] = 0
