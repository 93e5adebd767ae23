-- A function that consumes its argument cannot be passed to a function that only lends its arguments.
-- ==
-- error: E0407.*:4:33
def main (xss: [][3]i32) = map (\(xs: *[3]i32) -> xs with [0] = 1) xss
