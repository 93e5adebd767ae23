-- The result of a starred loop parameter may be the initial value itself, so it cannot be consumed if that value is lent.
-- ==
-- error: E0402.*:6:6
def main (xs: []i64) =
  let ys = loop ys: *[]i64 = xs for i < 2 do filter (> i) ys
  in ys with [0] = 1
