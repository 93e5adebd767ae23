-- Sizes that the body of a function equates are equal in each call.
-- ==
-- input { 3i64 [1, 2, 3] [4, 5, 6] }
-- output { 54 }
def weighted (n: i64) (xs: []i32) (ys: []i32) : i32 =
  if n == 0
  then 0
  else let products = map3 (\i x y -> i32.i64 i + x * y) (iota n) xs ys
       in i32.sum products + weighted (n - 1) (take (n - 1) xs) (take (n - 1) ys)

def main (n: i64) (xs: []i32) (ys: []i32) = weighted n xs ys
