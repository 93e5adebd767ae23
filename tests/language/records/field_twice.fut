-- A record names each field once.
-- ==
-- error: E0210.*:4:29
def main (x: i32) = {a = x, a = x + 1}
