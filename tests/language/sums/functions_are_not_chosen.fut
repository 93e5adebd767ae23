-- A value that may contain a function cannot be the result of `if` or `match`, just as a function cannot.
-- ==
-- error: E0211.*:6:33
type^ action = #apply (i32 -> i32) | #keep

def choose (c: bool) : action = if c then #apply (+ 1) else #keep

def main (x: i32) = x
