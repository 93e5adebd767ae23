-- Scatters of many inputs are computed in blocks. The last of several writes to one place counts, whatever the schedule.
-- ==
-- entry: last_write
-- input { 200000i64 1000i64 0i64 }
-- output { true }
-- input { 200000i64 1i64 0i64 }
-- output { true }
-- input { 200000i64 0i64 0i64 }
-- output { true }
-- input { 65536i64 70001i64 0i64 }
-- output { true }
-- input { 65535i64 3i64 0i64 }
-- output { true }

-- ==
-- entry: same_places
-- input { 150001i64 5000i64 4000i64 0i64 }
-- output { true }
-- input { 150001i64 4000i64 5000i64 0i64 }
-- output { true }
-- input { 150001i64 4000i64 4000i64 0i64 }
-- output { true }

-- ==
-- entry: few_writes
-- input { 300000i64 }
-- output { 47i64 }

-- ==
-- entry: rows_and_columns
-- input { 100000i64 250i64 300i64 0i64 }
-- output { true }
-- input { 100000i64 300i64 0i64 0i64 }
-- output { true }

-- ==
-- entry: digits
-- input { 3000i64 40i64 }
-- output { true }
-- input { 40i64 3000i64 }
-- output { true }

-- ==
-- entry: failing
-- input { 100000i64 200000i64 }
-- output { 4999950000i64 }
-- input { 100000i64 77777i64 }
-- error: 93:23.*i != bad

-- The places of `n` writes, some of them outside of `m` elements. The parameter `zero` keeps two uses of it apart.
def places (n: i64) (m: i64) (zero: i64) : [n]i64 = map (\i -> (i * 7919 + zero) % (m + 10) - 5) (iota n)

-- What `scatter` should give, by histogram.
def last_of [n] (m: i64) (is: [n]i64) : [m]i64 = hist i64.max (-1) m is (iota n)

entry last_write (n: i64) (m: i64) (zero: i64) : bool =
  let got = scatter (replicate m (-1)) (places n m zero) (iota n)
  in and (map2 (==) got (last_of m (places n m 0)))

entry same_places (n: i64) (m: i64) (k: i64) (zero: i64) : bool =
  let is = places n m zero
  let numbers = scatter (replicate m (-1)) is (iota n)
  let marks = scatter (replicate k false) is (replicate n true)
  let pairs = scatter (replicate m (-1i32, 0.5f64)) is (map (\i -> (i32.i64 i, f64.i64 i)) (iota n))
  let expected = last_of m (places n m 0)
  in and (map2 (==) numbers expected)
     && and (map2 (\mark last -> mark == (last >= 0)) marks (last_of k (places n m 0)))
     && and (map2 (\(x, y) last -> i64.i32 x == last && (if last < 0 then y == 0.5 else y == f64.i64 last))
                  pairs
                  expected)

entry few_writes (n: i64) : i64 =
  let is = map (\i -> if i % 6400 == 17 then i / 6400 else -1) (iota n)
  in i64.sum (map i64.bool (scatter (replicate 60 false) is (replicate n true)))

entry rows_and_columns (n: i64) (h: i64) (w: i64) (zero: i64) : bool =
  let pairs z = map (\i -> ((i * 31 + z) % (h + 3), (i * 17) % (w + 2) - 1)) (iota n)
  let flat = map (\(i, j) -> if i < h && j >= 0 && j < w then i * w + j else -1) (pairs 0)
  in and (map2 (==) (flatten (scatter_2d (replicate h (replicate w (-1))) (pairs zero) (iota n))) (last_of (h * w) flat))

entry digits (h: i64) (w: i64) : bool =
  let from = map (\i -> (i * 13) % 101) (iota (h * w))
  let n = h * w
  let is = map (\k -> let (i, j) = (k / w, k % w) in if from[k] < 90 then j * h + i else -1) (iota n)
  let values = map (\k -> 3 * (k / w) + k % w) (iota n)
  let got = scatter (replicate n (-1)) is values
  let expected = map (\p -> let (j, i) = (p / h, p % h)
                            in if from[i * w + j] < 90 then 3 * i + j else -1)
                     (iota n)
  in and (map2 (==) got expected)

entry failing (n: i64) (bad: i64) : i64 =
  let is = map (\i -> assert (i != bad) ((n - 1 - i) % (n + 1))) (iota n)
  in i64.sum (scatter (replicate n 0) is (iota n))
