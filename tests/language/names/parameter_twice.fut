-- The names of all parameters of a function are different.
-- ==
-- error: E0210.*:4:20
def main (x: i32) (x: i32) = x
