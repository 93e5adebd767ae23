-- Loop parameters that the body requires to have the same size must have the same size after each iteration, too.
-- ==
-- error: E0301.*:6:5
def main (n: i64) =
  loop (xs, ys) = (iota n, iota n) for _i < n do
    let zs = filter (> 0) xs
    in (zs, map2 (+) xs ys)
