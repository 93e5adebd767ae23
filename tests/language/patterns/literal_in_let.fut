-- The pattern of a `let` must match every value; a literal does not.
-- ==
-- error: E0219.*:5:7
def main (t: (i32, i32)) =
  let (x, 1) = t
  in x
