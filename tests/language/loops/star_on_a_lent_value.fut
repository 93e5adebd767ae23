-- What a loop gives for a starred parameter may be the initial value itself, so it is not one's own where that is lent.
-- ==
-- error: E0402.*:6:6
def main (xs: []i64) =
  let ys = loop ys: *[]i64 = xs for i < 2 do filter (> i) ys
  in ys with [0] = 1
