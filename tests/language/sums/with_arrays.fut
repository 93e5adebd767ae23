-- A constructor may carry an array whose size is given by the type.
-- ==
-- input { [1, 2, 3] true }
-- output { 6 }
-- input { [1, 2, 3] false }
-- output { 3 }
-- input { empty([0]i32) false }
-- output { 0 }
type choice [n] = #all ([n]i32) | #count

def main [n] (xs: [n]i32) (c: bool) =
  let x: choice [n] = if c then #all xs else #count
  in match x
     case #all ys -> i32.sum ys
     case #count -> i32.i64 n
