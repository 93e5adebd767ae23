-- The array that a constructor carries may be updated in place if the whole value was given away.
-- ==
-- input { [1, 2] }
-- output { [7, 2] }
type option [n] = #some ([n]i32) | #none

def main (xs: *[2]i32) =
  let x: option [2] = #some xs
  in match x
     case #some ys -> ys with [0] = 7
     case #none -> [0, 0]
