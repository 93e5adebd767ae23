-- A field without a value takes the value of the variable with the same name.
-- ==
-- input { 1 2 }
-- output { 3 }
def main (x: i32) (y: i32) =
  let r = {x, y}
  in r.x + r.y
