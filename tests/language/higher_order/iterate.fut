-- `iterate` applies a function a given number of times, `iterate_while` and `iterate_until` while or until a condition holds.
-- ==
-- input { 3 }
-- output { 24 128 48 }
-- input { 200 }
-- output { 1600 200 200 }
def main (x: i32) =
  ( iterate 3 (* 2) x
  , iterate_while (< 100) (\y -> if y == 3 then 4 else y * 2) x
  , iterate_until (> 25) (* 2) x
  )
