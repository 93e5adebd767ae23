-- All cases give values of one type.
-- ==
-- error: E0201.*:7:13
def main (x: i32) =
  match x
  case 0 -> 1i32
  case _ -> true
