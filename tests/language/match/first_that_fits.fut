-- `match` takes the first case whose pattern matches.
-- ==
-- input { 0 5 }
-- output { 1 }
-- input { 3 0 }
-- output { 2 }
-- input { 3 5 }
-- output { 3 }
def main (x: i32) (y: i32) =
  match (x, y)
  case (0, _) -> 1
  case (_, 0) -> 2
  case _ -> 3
