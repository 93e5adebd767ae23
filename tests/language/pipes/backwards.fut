-- `f <| x` is `f x`, and saves parentheses.
-- ==
-- input { [1, -2, 3] }
-- output { 6 }
def main (xs: []i32) = i32.sum <| map i32.abs <| xs
