-- What the C programs beside this file call.
type point = {x: f32, y: f32}
type shape [n] = #circle f32 | #none | #path ([n]point) i32

entry scale [n][m] (factor: f64) (a: [n][m]f64) : [n][m]f64 = map (map (* factor)) a
entry total [n] (xs: [n]i64) : i64 = i64.sum xs
entry flip [n] (xs: [n]bool) : [n]bool = map (\x -> !x) xs
entry point (x: f32) (y: f32) : point = {x, y}
entry abscissas [n] (points: [n]point) : [n]f32 = map (.x) points
entry points (n: i64) : []point = tabulate n (\i -> {x = f32.i64 i, y = f32.i64 (i * i)})
entry path [n] (points: [n]point) (k: i32) : shape [n] = #path points k
entry size [n] (s: shape [n]) : f32 =
  match s
  case #circle r -> r * r
  case #none -> 0
  case #path points k -> f32.sum (map (.x) points) * f32.i32 k
entry split (x: i32) : (i32, bool) = (x / 2, x % 2 == 0)
entry append [n] (xs: *[n]i64) (at: i64) (value: i64) : *[n]i64 = xs with [at] = value
entry both [n] (xs: *[n]i64) (ys: *[n]i64) : [n]i64 = map2 (+) xs ys
entry beside [n] (xs: *[n]i64) (ys: [n]i64) : [n]i64 = map2 (+) xs ys
entry halves [n] (xs: [n]f16) : [n]f16 = map (/ 2) xs
entry nested (p: {a: point, b: (i32, [2]i32)}) : i32 = p.b.0 + i32.sum p.b.1 + i32.f32 p.a.x
entry lots (n: i64) : [n]i64 = map (\i -> i64.sum (iota (i % 8))) (iota n)
entry memory (n: i64) : i64 = i64.sum (scan (+) 0 (iota n))
entry step' (x: {a': i32, b: bool}) : {a': i32, b: bool} = {a' = x.a' + 1, b = !x.b}
entry nothing (x: i32) : () = ()
-- Ends only when it is cancelled.
entry endless [n] (xs: [n]i64) : [n]i64 = map (\x -> loop y = x while y >= 0 do (y * 3 + 1) % 1000003) xs
-- Fails after it has overwritten its argument: the sum is no index.
entry spoil [n] (xs: *[n]i64) : *[n]i64 =
  let ys = xs with [0] = -1000
  in ys with [i64.sum ys] = 1
