-- A function argument gives away nothing from around it: it may be called any number of times.
-- ==
-- error: E0405.*:4:38
def main (xs: *[3]i32) = map (\i -> (xs with [0] = i)[0]) [1, 2]
