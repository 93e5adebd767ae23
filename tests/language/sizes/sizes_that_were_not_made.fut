-- A size that is checked in a loop or map that runs no time is not known to be positive afterwards.
-- ==
-- entry: at_least
-- input { 0i64 -5i64 } output { 0i64 0i64 }
-- input { 2i64 3i64 } output { 8i64 3i64 }
-- input { 1i64 -5i64 } error: Range

-- ==
-- entry: in_bounds
-- input { [1i64, 2i64, 3i64] 0i64 -5i64 } output { [0i64, 0i64] }
-- input { [1i64, 2i64, 3i64] 1i64 1i64 } output { [0i64, 3i64] }

-- ==
-- entry: looped
-- input { 0i64 -5i64 } output { true 0i64 }
-- input { 1i64 2i64 } output { false 2i64 }
def sum_to (k: i64) (i: i64) : i64 = i64.sum (scan (+) 0 (map (* i) (iota k)))

entry at_least (n: i64) (k: i64) : (i64, i64) =
  let s = i64.sum (map (\i -> sum_to k i) (iota n))
  in (2 * s, length (iota (i64.max k 0)) + 0 * s)

entry in_bounds [m] (a: [m]i64) (n: i64) (k: i64) : [2]i64 =
  let s = i64.sum (map (\i -> sum_to k i) (iota n))
  in map (\i -> if 0 <= k && k < m then i * (a[k] + 1) + s else 0) (iota 2)

entry looped (n: i64) (k: i64) : (bool, i64) =
  let s = loop s = 0 for i < n do s + i64.sum (map (+ i) (iota k)) - s
  in (k < 0, i64.max 0 k + 0 * s)
