-- A constructor is listed once.
-- ==
-- error: E0210.*:4:24
type twice = #a | #b | #a i32

def main (x: i32) = x
