-- All parameters of a function must have different names.
-- ==
-- error: E0210.*:4:20
def main (x: i32) (x: i32) = x
