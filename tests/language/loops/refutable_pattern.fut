-- The pattern of a loop must match every value.
-- ==
-- error: E0219.*:4:26
def main (n: i32) = loop (x, 0) = (1, 0) for _i < n do (x, 0)
