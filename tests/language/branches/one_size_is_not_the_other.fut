-- If both branches must have the size `n`, an array in one of them cannot have another named size `m` elsewhere.
-- ==
-- error: E0301.*:5:74
def main [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) (zs: []i32) =
  (if c then xs else zs, map2 (+) (if c then xs else zs) xs, map2 (+) zs ys)
