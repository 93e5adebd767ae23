-- A pattern must not bind a name twice.
-- ==
-- error: E0210.*:5:11
def main (t: (i32, i32)) =
  let (x, x) = t
  in x
