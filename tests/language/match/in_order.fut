-- Cases are tried from the first to the last.
-- ==
-- input { 0 } output { 1 }
-- input { 5 } output { 2 }
def main (x: i32): i32 =
  match x
  case 0 -> 1
  case _ -> 2
  case 5 -> 3
