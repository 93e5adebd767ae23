-- The values of a histogram may be rows, which are combined element by element.
-- ==
-- input { [1i64, 1i64] [[1, 2], [3, 4]] }
-- output { [[0, 0], [4, 6]] }
-- input { empty([0]i64) empty([0][2]i32) }
-- output { [[0, 0], [0, 0]] }
def main [n] (is: [n]i64) (vs: [n][2]i32) = hist (map2 (+)) [0, 0] 2 is vs
