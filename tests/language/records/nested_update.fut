-- An update may replace a field of a nested record.
-- ==
-- input { 1 2 }
-- output { 5 2 }
def main (x: i32) (y: i32) =
  let r = {p = {x, y}, q = 0i32}
  let s = r with p.x = 5
  in (s.p.x, s.p.y)
