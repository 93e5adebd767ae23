-- A branch may return several values as a tuple.
-- ==
-- input { 5 3 }
-- output { 3 5 }
-- input { 3 5 }
-- output { 3 5 }
def main (x: i32) (y: i32) =
  let (low, high) = if x < y then (x, y) else (y, x)
  in (low, high)
