-- All cases must return values of the same type.
-- ==
-- error: E0201.*:7:13
def main (x: i32) =
  match x
  case 0 -> 1i32
  case _ -> true
