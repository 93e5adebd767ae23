-- The lambda of a `map` may loop over an array that all rows share and update its own row; an array that is read under a
-- condition may have fewer elements than there are steps.
-- ==
-- entry: added
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] 600i64 }
-- output { [[89701i64, 90002i64], [89703i64, 90004i64], [89705i64, 90006i64]] }
-- input { empty([0][2]i64) 600i64 }
-- output { empty([0][2]i64) }
-- input { [[1i64, 2i64]] 0i64 }
-- output { [[1i64, 2i64]] }

-- ==
-- entry: short
-- input { [1i64, 2i64, 3i64] 700i64 [10i64, 20i64] }
-- output { [244681i64, 244712i64, 244743i64] }

-- Numbers that the compiler does not know.
def numbers (m: i64) : [m]i64 = scatter (replicate m 0) (iota m) (iota m)

entry added [n] [k] (rows: [n][k]i64) (m: i64) : [n][k]i64 =
  let xs = numbers m
  in #[unsafe] map (\row -> loop row = copy row for j < m do row with [xs[j] % k] = row[xs[j] % k] + xs[j]) rows

entry short [n] [k] (starts: [n]i64) (m: i64) (few: [k]i64) : [n]i64 =
  let xs = numbers m
  in #[unsafe] map (\start -> loop sum = start for j < m do
                                let more = if j < k then start * few[j] else 0
                                in sum + xs[j] + more)
                   starts
