-- Values of a sum type may be reduced like other values.
-- ==
-- input { [0, 0, 5, 7] } output { 5 }
-- input { [0] } output { -1 }
-- input { empty([0]i32) } output { -1 }
type option 'a = #none | #some a

def first (x: option i32) (y: option i32): option i32 =
  match x
  case #some _ -> x
  case #none -> y

def main (xs: []i32): i32 =
  match reduce first #none (map (\x -> if x == 0 then #none else #some x) xs)
  case #some x -> x
  case #none -> -1
