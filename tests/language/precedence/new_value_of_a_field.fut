-- The new value after `with` is a whole operator expression.
-- ==
-- input { 3 4 }
-- output { 7 4 }
def main (x: i32) (y: i32) =
  let r = {a = x, b = y}
  let r = r with a = x + y
  in (r.a, r.b)
