-- `scatter dest is vs` writes each value to its index in `dest`, which it consumes.
-- ==
-- input { [0, 0, 0, 0] [3i64, 1i64] [7, 8] }
-- output { [0, 8, 0, 7] }
-- input { [5] empty([0]i64) empty([0]i32) }
-- output { [5] }
def main [n] (dest: *[]i32) (is: [n]i64) (vs: [n]i32) = scatter dest is vs
