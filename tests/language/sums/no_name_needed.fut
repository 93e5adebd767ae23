-- A sum type needs no name.
-- ==
-- input { 3 } output { 4 }
def next (x: #some i32 | #none): i32 =
  match x
  case #some y -> y + 1
  case #none -> 0

def main (x: i32) = next (#some x)
