-- A parameter that the body gives another one's array is that array, which is lent if it was lent at first.
-- ==
-- error: E0402.*:6:6
def main (xs: [3]i32) (ys: *[3]i32) =
  let (_, bs) = loop (as, bs) = (xs, ys) for _i < 2i64 do (map (+ 1) as, as)
  in bs with [0] = 7
