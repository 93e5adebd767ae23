-- The functions of a pipe may return arrays of unknown size.
-- ==
-- input { [3, -1, 4] }
-- output { 2i64 }
-- input { empty([0]i32) }
-- output { 0i64 }
def main (xs: []i32) = xs |> filter (> 0) |> length
