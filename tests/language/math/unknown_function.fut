-- The integer modules have no root functions.
-- ==
-- error: E0202.*:4:25
def main (x: i32) = i32.sqrt x
