-- An ascription `e : t` checks sizes at compile time, and does not coerce.
-- ==
-- error: E0301.*:4:46
def main [n] [m] (xs: [n]i32) (_: [m]i32) = (xs : [m]i32)
