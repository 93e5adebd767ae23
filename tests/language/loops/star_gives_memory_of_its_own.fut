-- For a starred loop parameter the body must return a unique value, whether or not it consumes the parameter.
-- ==
-- error: E0406.*:5:46
def main (xs: []i64) =
  loop ys: *[]i64 = copy xs for _i < 2i64 do xs
