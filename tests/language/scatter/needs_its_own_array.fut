-- `scatter` consumes its destination, so a parameter that is not unique is rejected.
-- ==
-- error: E0402.*:4:34
def main (dest: []i32) = scatter dest [0] [1]
