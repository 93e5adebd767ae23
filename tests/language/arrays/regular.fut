-- All rows of an array have one length.
-- ==
-- error: E0301.*:4:24
def main = [[1i32, 2], [3]]
