-- A record pattern matches fields by name; a field without a pattern is bound to its own name.
-- ==
-- input { 1 2 }
-- output { 1 2 }
def main (x: i32) (y: i32) =
  let {second, first = f} = {first = x, second = y}
  in (f, second)
