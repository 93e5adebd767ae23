-- `x |> f` evaluates `x` first.
-- ==
-- input { [1, -2, 3] }
-- output { [2, 4] }
def main (xs: []i32) = filter (> 0) xs |> map (+ 1)
