-- A literal without a suffix must be in the range of the type that it takes.
-- ==
-- error: E0209.*:4:17
def main : i8 = 128
