-- Only functions can be applied to arguments.
-- ==
-- error: E0206.*:4:21
def main (x: i32) = x 1
