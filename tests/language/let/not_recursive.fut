-- What a `let` binds is not known on its own right side.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  let x = x + 1
  in x
