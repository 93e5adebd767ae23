-- A recursive call must agree with the size that the body determines for a parameter.
-- ==
-- error: E0301.*:8:30
def weighted (n: i64) (xs: []i32) : i32 =
  if n == 0
  then 0
  else let products = map2 (\i x -> i32.i64 i + x) (iota n) xs
       in i32.sum products + weighted (n - 1) xs

def main (n: i64) (xs: []i32) = weighted n xs
