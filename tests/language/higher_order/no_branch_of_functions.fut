-- The result of an `if` cannot be a function; branch inside the function instead.
-- ==
-- error: E0211.*:5:11
def main (c: bool) (x: i32) =
  let f = if c then i32.abs else i32.sgn
  in f x
