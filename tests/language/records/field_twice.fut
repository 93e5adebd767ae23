-- A record must not have the same field twice.
-- ==
-- error: E0210.*:4:29
def main (x: i32) = {a = x, a = x + 1}
