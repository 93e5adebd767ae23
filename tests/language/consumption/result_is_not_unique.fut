-- The body must hold what the asterisk promises.
-- ==
-- error: E0406.*:4:33
def main (xs: []i32) : *[]i32 = xs
