-- A parameter without an asterisk is lent and must not be consumed.
-- ==
-- error: E0402.*:4:24
def main (xs: []i32) = xs with [0] = 1
