-- A local function refers to the variables that were in scope at its definition.
-- ==
-- input { 1 }
-- output { 11 }
def main (x: i32) =
  let f (y: i32) = x + y
  let x = 100 + x
  in if x > 0 then f 10 else f 20
