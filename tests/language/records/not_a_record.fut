-- A number has no fields.
-- ==
-- error: E0205.*:4:23
def main (x: i32) = x.a
