-- A loop does not give away in each round what it was given once.
-- ==
-- error: E0405.*:4:58
def main (xs: *[3]i32) = loop s = 0 for i < 3i32 do s + (xs with [0] = i)[0]
