-- In the type of a tuple parameter each part is lent or given away by itself.
-- ==
-- error: E0402.*:4:33
def main (t: (*[]i32, []i32)) = t.1 with [0] = 1
