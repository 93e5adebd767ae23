-- A pattern must have the type of the matched value.
-- ==
-- error: E0201.*:6:8
def main (x: i32) =
  match x
  case true -> 1i32
  case _ -> 2i32
