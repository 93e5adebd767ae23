-- A size that a `let` binds must be the size of something in its pattern.
-- ==
-- error: E0304.*:5:12
def main (xs: []i32) =
  let [k] (ys: []i32) = xs
  in (ys, k)
