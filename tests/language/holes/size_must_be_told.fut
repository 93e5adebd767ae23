-- The size of a hole must be told by its place, as any other.
-- ==
-- error: E0303.*:4:29
def main (_: i32) = i32.sum ???
