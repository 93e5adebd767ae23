-- A function argument must not consume arrays from outside, because it may be called any number of times.
-- ==
-- error: E0405.*:4:38
def main (xs: *[3]i32) = map (\i -> (xs with [0] = i)[0]) [1, 2]
