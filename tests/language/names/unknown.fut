-- Every name must be bound somewhere.
-- ==
-- error: E0202.*:4:25
def main (x: i32) = x + y
