-- The body gives a starred loop parameter memory of its own, whether it consumes the one before or not.
-- ==
-- error: E0406.*:5:46
def main (xs: []i64) =
  loop ys: *[]i64 = copy xs for _i < 2i64 do xs
