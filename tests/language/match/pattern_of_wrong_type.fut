-- A pattern must fit the type of what is matched.
-- ==
-- error: E0201.*:6:8
def main (x: i32) =
  match x
  case true -> 1i32
  case _ -> 2i32
