-- Both branches of an `if` may consume the same array.
-- ==
-- input { true [1, 2] }
-- output { [0, 2] }
-- input { false [1, 2] }
-- output { [1, 0] }
def main (c: bool) (xs: *[]i32) = if c then xs with [0] = 0 else xs with [1] = 0
