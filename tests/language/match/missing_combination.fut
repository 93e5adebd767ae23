-- Every combination of what the patterns tell apart has a case, too.
-- ==
-- error: E0220.*:5:3
def main (a: bool) (b: bool): i32 =
  match (a, b)
  case (true, true) -> 1
  case (false, false) -> 2
