-- A hole may stand for a function.
-- ==
-- warning: W0001.*:8:44
-- input { empty([0]i32) }
-- output { empty([0]i32) }
-- input { [1] }
-- error: .
def main (xs: []i32) : []i32 = map (\x -> (??? : i32 -> i32) x) xs
