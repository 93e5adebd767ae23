-- A size parameter must be the size of something, because nothing else determines its value.
-- ==
-- error: E0304.*:4:11
def main [n] (x: i32) = x
