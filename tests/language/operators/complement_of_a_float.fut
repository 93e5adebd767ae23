-- The prefix operator `!` applies only to booleans and integers.
-- ==
-- error: E0201.*:4:22
def main (x: f32) = !x
