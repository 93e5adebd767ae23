-- Cases that together cover all values need no `_`.
-- ==
-- input { true false }
-- output { 2 }
-- input { false false }
-- output { 3 }
-- input { true true }
-- output { 1 }
def main (a: bool) (b: bool) : i32 =
  match (a, b)
  case (true, true) -> 1
  case (true, false) -> 2
  case (false, _) -> 3
