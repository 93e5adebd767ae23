-- The destination is consumed: a lent array will not do.
-- ==
-- error: E0402.*:4:34
def main (dest: []i32) = scatter dest [0] [1]
