-- A `match` must have at least one case.
-- ==
-- error: E0110.*:5:1
def main (x: i32) = match x
def other = 2i32
