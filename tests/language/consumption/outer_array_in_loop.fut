-- The body of a loop must not consume an array from outside the loop, because it would do so in each iteration.
-- ==
-- error: E0405.*:4:58
def main (xs: *[3]i32) = loop s = 0 for i < 3i32 do s + (xs with [0] = i)[0]
