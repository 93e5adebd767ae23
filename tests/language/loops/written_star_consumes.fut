-- A loop parameter whose type is written with a star may be consumed.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [0, 0, 0, 4] }
def main (xs: *[]i32) =
  loop ys: *[]i32 = xs for i < 3i64 do ys with [i] = 0
