-- They do so inside of what is carried, too.
-- ==
-- error: E0220.*:7:3
type option = #some bool | #none

def main (x: option) : i32 =
  match x
  case #none -> 0
  case #some true -> 1
