-- A loop parameter to which the body passes another parameter's array aliases that array, and is lent if it was lent initially.
-- ==
-- error: E0402.*:6:6
def main (xs: [3]i32) (ys: *[3]i32) =
  let (_, bs) = loop (as, bs) = (xs, ys) for _i < 2i64 do (map (+ 1) as, as)
  in bs with [0] = 7
