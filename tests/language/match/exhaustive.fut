-- The cases of a `match` must cover all values.
-- ==
-- error: E0220.*:7:3
type colour = #red | #green | #blue

def main (c: colour) : i32 =
  match c
  case #red -> 1
  case #blue -> 2
