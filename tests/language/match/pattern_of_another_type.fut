-- A pattern has the type of what is matched.
-- ==
-- error: E0201.*:6:8
def main (x: i32): i32 =
  match x
  case true -> 1
  case _ -> 2
