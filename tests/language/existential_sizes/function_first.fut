-- `f <| x` evaluates `f` first, so that `f` cannot depend on a size that is bound in `x`; with `x |> f` it can.
-- ==
-- error: E0305.*:4:24
def main (xs: []i32) = map (+ 1) <| filter (> 0) xs
