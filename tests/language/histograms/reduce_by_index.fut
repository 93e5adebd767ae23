-- `reduce_by_index` combines values into an existing array, and consumes it.
-- ==
-- input { [10, 20] [1i64, 1i64, 0i64] [1, 2, 3] }
-- output { [13, 23] }
-- input { [10] empty([0]i64) empty([0]i32) }
-- output { [10] }
def main [n] (dest: *[]i32) (is: [n]i64) (vs: [n]i32) = reduce_by_index dest (+) 0 is vs
