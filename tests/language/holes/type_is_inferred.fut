-- A hole has the type that its context requires.
-- ==
-- warning: W0001.*:10:70
-- input { true [1, 2] }
-- output { [2, 4] }
-- input { true empty([0]i32) }
-- output { empty([0]i32) }
-- input { false [1, 2] }
-- error: .
def main [n] (b: bool) (xs: [n]i32) = map2 (+) xs (if b then xs else ???)
