-- The operator of a scan may combine rows.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [[1, 2], [4, 6]] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) }
def main [n] [m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) xss
