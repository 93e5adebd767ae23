-- `reduce_by_index` consumes its destination, which must not be lent.
-- ==
-- error: E0402.*:4:43
def main (dest: [2]i32) = reduce_by_index dest (+) 0 [0, 1] [1, 2]
