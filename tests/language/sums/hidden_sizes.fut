-- A type declared with `type~` may hide the sizes of its constructors' payloads.
-- ==
-- input { [3, -1, 4] } output { [3, 4] }
-- input { [-1] } output { empty([0]i32) }
type~ list = #many ([]i32) | #none

def positive (xs: []i32): list = #many (filter (> 0) xs)

def main (xs: []i32): []i32 =
  match positive xs
  case #many ys -> ys
  case #none -> []
