-- If the body returns a starred loop parameter, the result is the initial value, which must not be lent.
-- ==
-- error: E0402.*:4:42
def main (xs: []i64) = loop ys: *[]i64 = xs for _i < 2i64 do ys
