-- The components of a result without an asterisk may share memory; consuming one of them consumes the others.
-- ==
-- error: E0401.*:6:24
def main (n: i64) =
  let (as, bs) = unzip (map (\i -> (i, i)) (iota n))
  in (as with [0] = 9, bs)
