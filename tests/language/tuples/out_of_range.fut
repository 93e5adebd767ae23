-- A tuple of two components has no component `2`.
-- ==
-- error: E0205.*:4:30
def main (t: (i32, i32)) = t.2
