-- The elements of a matrix are its rows.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [3, 7] [[2, 3], [4, 5]] }
-- input { empty([0][2]i32) }
-- output { empty([0]i32) empty([0][2]i32) }
-- input { empty([2][0]i32) }
-- output { [0, 0] empty([2][0]i32) }
def main (xss: [][]i32) = (map i32.sum xss, map (map (+ 1)) xss)
