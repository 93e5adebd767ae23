-- An index for each dimension yields an element; fewer indices yield a row.
-- ==
-- input { [[1, 2], [3, 4]] 1i64 0i64 }
-- output { 3 [3, 4] 3 }
def main (xss: [][]i32) (i: i64) (j: i64) = (xss[i, j], xss[i], xss[i][j])
