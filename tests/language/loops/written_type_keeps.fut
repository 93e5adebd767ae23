-- A loop parameter whose type is written without a star may not be consumed.
-- ==
-- error: E0402.*:5:39
def main (xs: *[]i32) =
  loop ys: []i32 = xs for i < 3i64 do ys with [i] = 0
