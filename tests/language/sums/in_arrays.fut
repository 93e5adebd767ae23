-- Values of a sum type may be elements of arrays.
-- ==
-- input { [3, -1, 0] }
-- output { [4, 0, 1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
type option = #some i32 | #none

def main (xs: []i32) =
  let os = map (\x : option -> if x < 0 then #none else #some x) xs
  in map (\(o: option) -> match o case #some x -> x + 1 case #none -> 0) os
