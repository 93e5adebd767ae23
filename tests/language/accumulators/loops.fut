-- A function may pass its accumulator through a loop; one write may add a whole row.
-- ==
-- entry: stairs
-- input { 4i64 [1i64, 3i64, 9i64, 0i64] }
-- output { [3i64, 2i64, 2i64, 1i64] }
-- input { 1i64 [0i64] }
-- output { [0i64] }

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [0i64, 1i64, 1i64, 5i64] }
-- output { [[1, 3], [3, 6]] }
-- input { [[7]] empty([0]i64) }
-- output { [[7]] }

-- ==
-- entry: nested
-- input { 3i64 2i64 }
-- output { [[0i64, 0i64], [0i64, 1i64], [0i64, 2i64]] }
-- input { 0i64 2i64 }
-- output { empty([0][2]i64) }

type~ acc 't = intrinsics.acc t

def add [k] 't (acc: *acc ([k]t)) (i: i64) (x: t) : *acc ([k]t) = intrinsics.acc_write acc i x

entry stairs (k: i64) (ns: []i64) : []i64 =
  intrinsics.hist_stream (replicate k 0) (+) 0
                         (\(acc: *acc ([k]i64)) n -> loop acc for j < n do add acc j 1) ns

entry rows [k] [m] (dest: *[k][m]i32) (is: []i64) : [k][m]i32 =
  intrinsics.hist_stream dest (map2 (+)) (replicate m 0)
                         (\(acc: *acc ([k][m]i32)) i -> add acc i (tabulate m i32.i64)) is

-- An accumulator of its own for each element of a map.
entry nested (n: i64) (k: i64) : [][]i64 =
  tabulate n (\i -> intrinsics.hist_stream (replicate k 0) (+) 0 (\(acc: *acc ([k]i64)) j -> add acc j (i * j)) (iota k))
