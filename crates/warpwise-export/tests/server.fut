-- What the tests of servers call.
type pair = (i64, bool)
type point = {x: f32, y: f32}

entry inc [n] (xs: *[n]i64) : *[n]i64 = map (+ 1) xs
entry put [n] (xs: *[n]i64) (at: i64) : *[n]i64 = xs with [at] = 7
entry spoil [n] (xs: *[n]i64) : *[n]i64 =
  let ys = xs with [0] = -1000
  in ys with [i64.sum ys] = 1
entry named (x: i64) : pair = (x, x > 0)
entry apart (n: i64) : (*[]i64, bool) = (iota n, n > 0)
entry points (n: i64) : []point = tabulate n (\i -> {x = f32.i64 i, y = 1})
entry tuned (x: i64) : i64 = x + #[param(limit)] 10
-- Ends only when it is cancelled.
entry endless (n: i64) : [n]i64 = map (\x -> loop y = x while y >= 0 do (y * 3 + 1) % 1000003) (iota n)
