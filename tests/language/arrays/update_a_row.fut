-- A row can be replaced by an array of the same length.
-- ==
-- input { [[1, 2], [3, 4]] [5, 6] }
-- output { [[1, 2], [5, 6]] }
def main [n] (xss: *[][n]i32) (ys: [n]i32) = xss with [1] = ys
