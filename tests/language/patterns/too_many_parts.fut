-- A tuple pattern must have as many components as the tuple.
-- ==
-- error: E0201.*:5:19
def main (t: (i32, i32)) =
  let (x, y, z) = t
  in x + y + z
