-- The cases of a `match` must also cover all values that constructors carry.
-- ==
-- error: E0220.*:7:3
type option = #some bool | #none

def main (x: option) : i32 =
  match x
  case #none -> 0
  case #some true -> 1
