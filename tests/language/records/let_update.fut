-- `let r.f = e` is short for `let r = r with f = e`.
-- ==
-- input { 1 2 }
-- output { 11 2 }
def main (x: i32) (y: i32) =
  let r = {x, y}
  let r.x = r.x + 10
  in (r.x, r.y)
