-- Slices and indices may be mixed, one for each dimension.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [2, 5] [[2, 3], [5, 6]] [6, 5, 4] }
def main (xss: [2][3]i32) = (xss[:, 1], xss[:, 1:], xss[1, ::-1])
