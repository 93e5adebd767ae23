-- A size parameter must be the size of something: else nobody could know it.
-- ==
-- error: E0304.*:4:11
def main [n] (x: i32) = x
