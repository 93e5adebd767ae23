-- The initial value of a loop that consumes its parameter must not be lent.
-- ==
-- error: E0402.*:4:35
def main (xs: [3]i32) = loop ys = xs for i < 3i64 do ys with [i] = 1
