-- The pattern of a parameter must match every value; a literal does not.
-- ==
-- error: E0219.*:4:11
def main (0: i32) (x: i32) = x
