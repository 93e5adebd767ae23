-- A first program: statistics of an array, and three entry points to call.
-- 
--     warpwise run examples/tour.fut '[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]'
--     warpwise run examples/tour.fut -e outliers 1.5 '[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]'
-- ==
-- entry: main
-- input { [2.0f64, 4.0f64, 4.0f64, 4.0f64, 5.0f64, 5.0f64, 7.0f64, 9.0f64] }
-- output { 5.0f64 2.0f64 }
-- input { [3.0f64] }
-- output { 3.0f64 0.0f64 }
-- random input { [10007]f64 }
-- auto output

-- ==
-- entry: standardise
-- input { [2.0f64, 4.0f64, 4.0f64, 4.0f64, 5.0f64, 5.0f64, 7.0f64, 9.0f64] }
-- output { [-1.5f64, -0.5f64, -0.5f64, -0.5f64, 0.0f64, 0.0f64, 1.0f64, 2.0f64] }
-- random input { [10007]f64 }
-- auto output

-- ==
-- entry: outliers
-- input { 1.4f64 [2.0f64, 4.0f64, 4.0f64, 4.0f64, 5.0f64, 5.0f64, 7.0f64, 9.0f64] }
-- output { [2.0f64, 9.0f64] }
-- random input { f64 [10007]f64 }
-- auto output

-- Mean and standard deviation of the elements.
def moments [n] (xs: [n]f64) : (f64, f64) =
  let count = f64.i64 n
  let mean = f64.sum xs / count
  let variance = f64.sum (map (\x -> (x - mean) ** 2) xs) / count
  in (mean, f64.sqrt variance)

entry main [n] (xs: [n]f64) : (f64, f64) = moments xs

-- Every element in units of the deviation from the mean.
entry standardise [n] (xs: [n]f64) : [n]f64 =
  let (mean, deviation) = moments xs
  in map (\x -> (x - mean) / deviation) xs

-- The elements further than `limit` deviations from the mean.
entry outliers [n] (limit: f64) (xs: [n]f64) : []f64 =
  let (mean, deviation) = moments xs
  in filter (\x -> f64.abs (x - mean) > limit * deviation) xs
