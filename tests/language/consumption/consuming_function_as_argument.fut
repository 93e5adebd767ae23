-- A function that consumes its argument is no argument of a function that only lends.
-- ==
-- error: E0407.*:4:33
def main (xss: [][3]i32) = map (\(xs: *[3]i32) -> xs with [0] = 1) xss
