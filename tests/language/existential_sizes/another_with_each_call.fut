-- A size parameter denotes one size, not one that a function argument chooses anew with each call.
-- ==
-- error: E0302.*:5:39
def at_length [n] (f: i64 -> [n]i64) (xs: [n]i32) : [n]i64 = f (length xs)
def main [k] (xs: [k]i32) = at_length iota xs
