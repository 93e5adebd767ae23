-- The payload of a constructor may itself have a sum type.
-- ==
-- input { 5 }
-- output { 15 }
-- input { -5 }
-- output { -1 }
type inner = #small i32 | #large
type outer = #some inner | #none

def classify (x: i32) : outer = if x < 0 then #none else #some (if x < 10 then #small x else #large)

def main (x: i32) =
  match classify x
  case #some (#small y) -> y + 10
  case #some #large -> 100
  case #none -> -1
