-- If both branches of an `if` have existential sizes, so has the result.
-- ==
-- input { true [1, -2, 3] }
-- output { [1, 3] }
-- input { false [1, -2, 3] }
-- output { [-2] }
-- input { false empty([0]i32) }
-- output { empty([0]i32) }
def main (c: bool) (xs: []i32) = if c then filter (> 0) xs else filter (< 0) xs
