-- Functions cannot be elements of an array.
-- ==
-- error: E0211.*:4:21
def main (x: i32) = [i32.abs, i32.sgn]
