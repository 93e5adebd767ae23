-- With a star it may.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [0, 0, 0, 4] }
def main (xs: *[]i32) =
  loop ys: *[]i32 = xs for i < 3i64 do ys with [i] = 0
