-- An array of arrays is an array of more dimensions.
-- ==
-- input { 1 2 }
-- output { [[1, 2], [2, 1]] }
def main (x: i32) (y: i32) = [[x, y], [y, x]]
