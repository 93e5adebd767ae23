-- Sizes that are not named are inferred: two branches whose sizes are open make them one size.
-- ==
-- input { true [1, 2] [3, 4] }
-- output { [1, 2] }
-- input { false [1, 2] [3] }
-- error: dimension 0 has size 1, but 2 is expected
def main (c: bool) (xs: []i32) (ys: []i32) = if c then xs else ys
