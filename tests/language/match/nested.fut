-- A `match` inside a case needs parentheses if more cases follow.
-- ==
-- input { 0 1 }
-- output { 10 }
-- input { 0 2 }
-- output { 20 }
-- input { 1 1 }
-- output { 30 }
def main (x: i32) (y: i32) =
  match x
  case 0 -> (match y case 1 -> 10 case _ -> 20)
  case _ -> 30
