-- Exhaustiveness is also checked for combinations of values.
-- ==
-- error: E0220.*:5:3
def main (a: bool) (b: bool) : i32 =
  match (a, b)
  case (true, _) -> 1
  case (_, true) -> 2
