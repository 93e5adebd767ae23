-- What becomes of prices: called from Rust by prices.rs.

type stats = {mean: f64, count: i64, spread: f64}

-- A day's trend, by how much prices changed from day to day.
type trend = #flat | #up f64 | #down f64

entry stats [n] (prices: [n]f64) : stats =
  let mean = f64.sum prices / f64.i64 n
  let square x = x * x
  in {mean, count = n, spread = f64.sqrt (f64.sum (map (\x -> square (x - mean)) prices) / f64.i64 n)}

-- Changes from day to day, one for each row of prices less the first.
entry changes [n][m] (days: [n][m]f64) : ([]i64, [][m]f64) =
  let earlier = take (n - 1) days
  let later = drop 1 days :> [n - 1][m]f64
  in (iota (n - 1), map2 (map2 (-)) later earlier)

entry trend [n] (prices: [n]f64) : trend =
  if n < 2 then #flat
  else let change = prices[n - 1] - prices[0]
       in if change > 0 then #up change else if change < 0 then #down (-change) else #flat

entry follow (start: f64) (days: i64) (trend: trend) : []f64 =
  let step =
    match trend
    case #flat -> 0
    case #up by -> by
    case #down by -> -by
  in map (\day -> start + step * f64.i64 day) (iota days)

-- Replaces a price where it lies.
entry correct [n] (prices: *[n]f64) (day: i64) (price: f64) : *[n]f64 = prices with [day] = price

type trade = {price: f64, count: i32}

entry total [n] (trades: [n]trade) : f64 = f64.sum (map (\t -> t.price * f64.i32 t.count) trades)

entry split [n] (trades: [n]trade) : ([n]f64, [n]i32) = unzip (map (\t -> (t.price, t.count)) trades)
