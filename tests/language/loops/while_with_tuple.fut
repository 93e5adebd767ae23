-- The condition of `while` is evaluated with the current values of the loop parameters.
-- ==
-- input { 48 18 }
-- output { 6 }
-- input { 7 0 }
-- output { 7 }
def main (x: i32) (y: i32) =
  let (a, _) = loop (a, b) = (x, y) while b != 0 do (b, a % b)
  in a
