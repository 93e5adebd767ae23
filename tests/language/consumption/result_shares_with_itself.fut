-- Two unique results must not share memory.
-- ==
-- error: E0406.*:5:3
def main (n: i64) : (*[]i64, *[]i64) =
  let xs = iota n
  in (xs, xs)
