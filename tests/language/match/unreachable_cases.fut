-- A case that is never reached is not an error.
-- ==
-- input { true } output { 1 }
def main (x: bool): i32 =
  match x
  case true -> 1
  case false -> 2
  case _ -> 3
