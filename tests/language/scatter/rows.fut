-- The values of `scatter` may be rows.
-- ==
-- input { [[1, 1], [2, 2]] [[5, 6]] }
-- output { [[1, 1], [5, 6]] }
-- input { [[1, 1], [2, 2]] empty([0][2]i32) }
-- output { [[1, 1], [2, 2]] }
def main [k] (dest: *[2][2]i32) (rows: [k][2]i32) =
  scatter dest (map (+ 1) (iota k)) rows
