-- Sizes that only running makes known are results of branches and parameters of loops.

entry choice [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) : []i32 = if c then xs else ys

entry doubled (n: i64) : []i32 = loop xs = [1i32] for _i < n do xs ++ xs

-- A zip is no work, but for the copy of what is overwritten later.
entry zipped [n] (xs: *[n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  let sums = map (\(x, y) -> x + y) (zip xs ys)
  in (sums, xs with [0] = 1)
