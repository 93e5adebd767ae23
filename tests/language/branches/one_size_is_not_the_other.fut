-- What a branch gives is not as long as an array of a named size, if the other branch gives one of another size.
-- ==
-- error: E0301.*:5:74
def main [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) (zs: []i32) =
  (if c then xs else zs, map2 (+) (if c then xs else zs) xs, map2 (+) zs ys)
