-- The size of a hole must be determined by its context, like any other size.
-- ==
-- error: E0303.*:4:29
def main (_: i32) = i32.sum ???
