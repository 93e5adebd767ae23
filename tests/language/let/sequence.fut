-- `let` binds a name in what follows `in`; between `let`s the `in` may be left out.
-- ==
-- input { 3 }
-- output { 36 }
def main (x: i32) =
  let y = x * x
  let z = y * 4
  in z
