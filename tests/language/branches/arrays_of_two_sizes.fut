-- If the branches of an `if` return arrays of different sizes, the size of the result is unknown.
-- ==
-- input { true [1, 2] [3] }
-- output { [1, 2] }
-- input { false [1, 2] [3] }
-- output { [3] }
-- input { false [1, 2] empty([0]i32) }
-- output { empty([0]i32) }
def main [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) = if c then xs else ys
