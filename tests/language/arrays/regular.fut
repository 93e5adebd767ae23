-- All rows of an array must have the same length.
-- ==
-- error: E0301.*:4:24
def main = [[1i32, 2], [3]]
