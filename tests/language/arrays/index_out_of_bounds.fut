-- An index out of bounds ends the run; the message shows the index and the shape of the array.
-- ==
-- input { [5, 6] 2i64 }
-- error: Index \[2\] out of bounds for array of shape \[2\]
-- input { [5, 6] -1i64 }
-- error: Index \[-1\] out of bounds for array of shape \[2\]
-- input { empty([0]i32) 0i64 }
-- error: Index \[0\] out of bounds for array of shape \[0\]
def main (xs: []i32) (i: i64) = xs[i]
