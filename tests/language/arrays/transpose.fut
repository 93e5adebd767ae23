-- `transpose` exchanges the rows and columns of a matrix.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [[1, 4], [2, 5], [3, 6]] }
-- input { [[1]] }
-- output { [[1]] }
-- input { empty([0][2]i32) }
-- output { empty([2][0]i32) }
def main (xss: [][]i32) = transpose xss
