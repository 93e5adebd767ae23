-- An ascription determines the type of a constructor.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  match (#some x : #some i32 | #none)
  case #some y -> y + 1
  case #none -> 0
