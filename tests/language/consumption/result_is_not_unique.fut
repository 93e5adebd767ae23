-- A function whose result type has an asterisk must not return a lent array.
-- ==
-- error: E0406.*:4:33
def main (xs: []i32) : *[]i32 = xs
