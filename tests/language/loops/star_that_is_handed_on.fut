-- A starred loop parameter that the body gives back is the initial value, which must be one's own.
-- ==
-- error: E0402.*:4:42
def main (xs: []i64) = loop ys: *[]i64 = xs for _i < 2i64 do ys
