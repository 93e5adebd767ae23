-- No list of numbers covers all values: a variable or `_` is needed.
-- ==
-- error: E0220.*:5:3
def main (x: i32) : i32 =
  match x
  case 0 -> 1
  case 1 -> 2
