-- The value that a constructor carries is lent if the whole value is lent.
-- ==
-- error: E0402.*:8:20
type option [n] = #some ([n]i32) | #none

def main (x: option [2]) =
  match x
  case #some xs -> xs with [0] = 7
  case #none -> [0, 0]
