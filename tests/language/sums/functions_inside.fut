-- The constructors of a type declared with `type^` may carry functions.
-- ==
-- input { 5 } output { 6 5 }
type^ action = #apply (i32 -> i32) | #keep

def act (a: action) (x: i32): i32 =
  match a
  case #apply f -> f x
  case #keep -> x

def main (x: i32) = (act (#apply (+ 1)) x, act #keep x)
