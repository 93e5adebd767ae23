-- `let` binds a name in the expression after `in`; between consecutive `let`s, `in` may be omitted.
-- ==
-- input { 3 }
-- output { 36 }
def main (x: i32) =
  let y = x * x
  let z = y * 4
  in z
