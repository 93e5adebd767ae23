-- A sum type lists constructors, each with the types of its payload.
-- ==
-- input { 3 }
-- output { 9 4 7 }
type shape = #square i32 | #rectangle i32 i32 | #point

def area (s: shape) : i32 =
  match s
  case #square a -> a * a
  case #rectangle a b -> a * b
  case #point -> 0

def main (x: i32) =
  (area (#square x), area (#rectangle x 2) - 2, area #point + 7)
