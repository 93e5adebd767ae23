-- The result type of a lambda is written after its parameters.
-- ==
-- input { 3 }
-- output { 4i64 }
def main (x: i32) =
  let f = \(y: i32) : i64 -> i64.i32 y + 1
  in f x
