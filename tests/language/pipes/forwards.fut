-- `x |> f` is `f x`, written in the order of evaluation.
-- ==
-- input { [1, -2, 3] }
-- output { 6 }
-- input { empty([0]i32) }
-- output { 0 }
def main (xs: []i32) = xs |> map i32.abs |> i32.sum
