-- `scatter` ignores values whose index is out of bounds.
-- ==
-- input { [0, 0] [-1i64, 1i64, 2i64] [7, 8, 9] }
-- output { [0, 8] }
-- input { empty([0]i32) [0i64] [1] }
-- output { empty([0]i32) }
def main [n] (dest: *[]i32) (is: [n]i64) (vs: [n]i32) = scatter dest is vs
