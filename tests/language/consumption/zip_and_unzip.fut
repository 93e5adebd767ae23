-- The parts of a result without an asterisk may share memory: with one of them the others are given away.
-- ==
-- error: E0401.*:6:24
def main (n: i64) =
  let (as, bs) = unzip (map (\i -> (i, i)) (iota n))
  in (as with [0] = 9, bs)
