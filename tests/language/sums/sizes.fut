-- Constructors may carry arrays whose sizes are size parameters of the type.
-- ==
-- input { true [1, 2] } output { [1, 2] }
-- input { false [1, 2] } output { [0, 0] }
-- input { false empty([0]i32) } output { empty([0]i32) }
type row [n] = #row ([n]i32) | #zeros

def values [n] (r: row [n]): [n]i32 =
  match r
  case #row xs -> xs
  case #zeros -> replicate n 0

def main (c: bool) (xs: []i32) = values (if c then #row xs else #zeros)
