-- Of the components of a tuple parameter, only those with an asterisk may be consumed.
-- ==
-- error: E0402.*:4:33
def main (t: (*[]i32, []i32)) = t.1 with [0] = 1
