-- `scatter` takes as many indices as values.
-- ==
-- error: E0301.*:4:48
def main (dest: *[4]i32) = scatter dest [0, 1] [5, 6, 7]
