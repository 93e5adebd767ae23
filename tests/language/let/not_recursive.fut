-- The name that a `let` binds is not in scope on its own right-hand side.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  let x = x + 1
  in x
