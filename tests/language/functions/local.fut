-- A `let` with parameters defines a local function, which may use the variables in scope.
-- ==
-- input { 3 4 }
-- output { 10 }
def main (x: i32) (y: i32) =
  let plus_x (z: i32) = x + z
  in plus_x (plus_x y)
