-- Only the case that matches is evaluated.
-- ==
-- input { 0 } output { 0 }
-- input { 5 } output { 20 }
def main (x: i32): i32 =
  match x
  case 0 -> 0
  case _ -> 100 / x
