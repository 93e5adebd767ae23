-- A variable in a pattern matches any value, and is bound to it in the case.
-- ==
-- input { 3 4 } output { 13 }
-- input { 3 0 } output { 3 }
def main (x: i32) (y: i32): i32 =
  match (x, y)
  case (a, 0) -> a
  case (a, b) -> a + 10 * (b - a)
