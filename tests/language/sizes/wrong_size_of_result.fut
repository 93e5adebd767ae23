-- The body must have the size that the result type declares.
-- ==
-- error: E0301.*:4:38
def main [n] (xs: [n]i32) : [n]i32 = tail xs
