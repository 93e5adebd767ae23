-- A recursive call may pass arrays of other sizes, which the declared size parameters then take.
-- ==
-- input { [3, 1, 2] }
-- output { 6 }
-- input { [5] }
-- output { 5 }
-- input { empty([0]i32) }
-- output { 0 }
def total [n] (xs: [n]i32) : i32 =
  if n == 0
  then 0
  else if n == 1 then xs[0] else total (take (n / 2) xs) + total (drop (n / 2) xs)

def main (xs: []i32) = total xs
