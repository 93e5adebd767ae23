-- Arrays of different sizes give an array of a size that is not known before.
-- ==
-- input { true [1, 2] [3] }
-- output { [1, 2] }
-- input { false [1, 2] [3] }
-- output { [3] }
-- input { false [1, 2] empty([0]i32) }
-- output { empty([0]i32) }
def main [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) = if c then xs else ys
