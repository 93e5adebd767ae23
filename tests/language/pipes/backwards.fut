-- `f <| x` is `f x` without parentheses around `x`.
-- ==
-- input { [1, -2, 3] }
-- output { 6 }
def main (xs: []i32) = i32.sum <| map i32.abs <| xs
