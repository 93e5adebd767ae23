-- Two sums are equal if they were made by one constructor that carries equal values.
-- ==
-- input { 1 2 } output { false true false }
type either = #left i32 | #right ([2]i32)

def main (x: i32) (y: i32): (bool, bool, bool) =
  let a: either = #left x
  let b: either = #right [x, y]
  in (a == b, b == #right (map (+ 0) [x, y]), a == #left y)
