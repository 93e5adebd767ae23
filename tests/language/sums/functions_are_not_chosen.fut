-- A value that may hold a function is not chosen by `if` or `match`, no more than a function is.
-- ==
-- error: E0211.*:6:33
type^ action = #apply (i32 -> i32) | #keep

def choose (c: bool) : action = if c then #apply (+ 1) else #keep

def main (x: i32) = x
