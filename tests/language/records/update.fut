-- `r with f = e` is the record `r` with the value `e` in the field `f`.
-- ==
-- input { 1 2 }
-- output { 1 20 1 2 }
def main (x: i32) (y: i32) =
  let r = {x, y}
  let s = r with y = 20
  in (s.x, s.y, r.x, r.y)
