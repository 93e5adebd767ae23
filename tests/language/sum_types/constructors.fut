-- A value of a sum type is made by one of its constructors, which may carry values.
-- ==
-- input { 2.0 } output { 4.0 }
-- input { -1.0 } output { 0.0 }
type shape = #point | #square f64

def area (s: shape): f64 =
  match s
  case #point -> 0
  case #square a -> a * a

def main (x: f64): f64 = area (if x > 0 then #square x else #point)
