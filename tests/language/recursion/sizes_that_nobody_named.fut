-- A recursive call may pass arrays of other sizes, whether or not the sizes of the parameters have names.
-- ==
-- entry: sorted
-- input { [3.0, 1.0, 2.0, 1.0] }
-- output { [1.0, 1.0, 2.0, 3.0] }
-- input { empty([0]f64) }
-- output { empty([0]f64) }
def quick (xs: []f64) : []f64 =
  if length xs < 2
  then xs
  else let p = xs[length xs / 2]
       let (low, equal, high) = partition2 (< p) (== p) xs
       in quick low ++ equal ++ quick high

entry sorted (xs: []f64) : []f64 = quick xs

def gaps (xs: []i64) (left: i64) : []i64 =
  if left == 0 || null xs then xs else gaps (map2 (-) (tail xs) (init xs)) (left - 1)

-- ==
-- entry: differences
-- input { [1i64, 4i64, 9i64, 16i64] 2i64 }
-- output { [2i64, 2i64] }
entry differences (xs: []i64) (k: i64) : []i64 = gaps xs k

def peeled (xss: [][]i32) : i64 = if null xss then 0 else 1 + peeled (transpose (tail xss))

-- ==
-- entry: levels
-- input { [[1, 2, 3], [1, 2, 3]] }
-- output { 4i64 }
entry levels (xss: [][]i32) = peeled xss

def merge (xs: []i32) (ys: []i32) : []i32 =
  if null xs then ys
  else if null ys then xs
  else if xs[0] <= ys[0] then [xs[0]] ++ merge (tail xs) ys
  else [ys[0]] ++ merge xs (tail ys)

-- ==
-- entry: merged
-- input { [1, 4] [2, 3, 5] }
-- output { [1, 2, 3, 4, 5] }
entry merged (xs: []i32) (ys: []i32) = merge xs ys
