-- Functions are no array elements.
-- ==
-- error: E0211.*:4:21
def main (x: i32) = [i32.abs, i32.sgn]
