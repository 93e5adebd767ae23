-- A loop that consumes its parameter consumes the initial value.
-- ==
-- error: E0401.*:6:11
def main (xs: *[3]i32) =
  let ys = loop ys = xs for i < 3i64 do ys with [i] = 1
  in (ys, xs)
