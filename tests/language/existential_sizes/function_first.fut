-- `f <| x` evaluates `f` first, so that it cannot need a size that comes into being in `x`; `x |> f` can.
-- ==
-- error: E0305.*:4:24
def main (xs: []i32) = map (+ 1) <| filter (> 0) xs
