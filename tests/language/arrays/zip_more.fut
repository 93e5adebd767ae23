-- `zip3` and `unzip3` zip and unzip three arrays; there are variants for up to five.
-- ==
-- input { [1, 2] [3, 4] [5, 6] }
-- output { [9, 12] [5, 6] }
def main [n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) =
  let ts = zip3 xs ys zs
  let (_, _, c) = unzip3 ts
  in (map (\(x, y, z) -> x + y + z) ts, c)
