-- The components of a value may share memory: an update of the whole value still changes each component separately.
-- ==
-- entry: twin
-- input { 3i64 }
-- output { [7, 0, 0] [9, 0, 0] }

-- ==
-- entry: chosen
-- input { true [1, 2] }
-- output { [5, 2] [6, 2] [1, 2] }
-- input { false [1, 2] }
-- output { [5, 0] [6, 0] [1, 2] }

-- ==
-- entry: turned
-- input { 0i64 [1] [2] }
-- output { [5] [6] }
-- input { 1i64 [1] [2] }
-- output { [5] [6] }
def twins (n: i64) : ([n]i32, [n]i32) = let xs = replicate n 0 in (xs, xs)

entry twin (n: i64) =
  let (xs, ys) = unzip (uncurry zip (twins n) with [0] = (7, 9))
  in (xs, ys)

entry chosen [n] (c: bool) (xs: [n]i32) =
  let both = if c then zip xs xs else uncurry zip (twins n)
  let (ys, zs) = unzip (copy both with [0] = (5, 6))
  in (ys, zs, xs)

def swapped [n] (k: i64) (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  loop (a: [n]i32, b: [n]i32) = (xs, ys) for _i < k do (b, a)

entry turned [n] (k: i64) (xs: *[n]i32) (ys: *[n]i32) =
  let (as, bs) = swapped k xs ys
  in unzip ((zip as bs) with [0] = (5, 6))
