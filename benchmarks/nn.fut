-- The places nearest to a given one, by one search for the least distance after another.
-- ==
-- entry: main
-- input { 4i32 30.0f32 90.0f32 [10.0f32, 30.5f32, 29.0f32, 31.0f32, 30.5f32, 0.0f32] [90.0f32, 89.0f32,
--   91.0f32, 90.0f32, 89.0f32, 0.0f32] }
-- output { [3i32, 1i32, 4i32, 2i32] [1.0f32, 1.118034f32, 1.118034f32, 1.414214f32] }
-- input { 0i32 0.0f32 0.0f32 [10.0f32, 30.5f32, 29.0f32, 31.0f32, 30.5f32, 0.0f32] [90.0f32, 89.0f32,
--   91.0f32, 90.0f32, 89.0f32, 0.0f32] }
-- output { empty([0]i32) empty([0]f32) }
-- input { 1i32 0.0f32 0.0f32 [3.0f32] [4.0f32] }
-- output { [0i32] [5.0f32] }

-- ==
-- entry: hundred
-- random input { f32 f32 [1000]f32 [1000]f32 }
-- auto output
-- "large" notest random input { f32 f32 [1000000]f32 [1000000]f32 }

-- The nearer of two places, the one with the smaller index if they are equally near.
def nearer (d1: f32, i1: i32) (d2: f32, i2: i32) : (f32, i32) =
  if d1 < d2 || (d1 == d2 && i1 < i2) then (d1, i1) else (d2, i2)

entry main [n] (results: i32) (lat: f32) (lng: f32) (lats: [n]f32) (lngs: [n]f32) : ([]i32, []f32) =
  let distance x y = f32.sqrt ((lat - x) * (lat - x) + (lng - y) * (lng - y))
  let distances = map2 distance lats lngs
  let count = i64.i32 results
  let (indices, found, _) =
    loop (indices, found, distances) = (replicate count 0i32, replicate count 0f32, distances)
    for i < count do
      let (d, nearest) = reduce_comm nearer (f32.inf, i32.highest) (zip distances (map i32.i64 (iota n)))
      in (indices with [i] = nearest, found with [i] = d, distances with [nearest] = f32.inf)
  in (indices, found)

entry hundred [n] (lat: f32) (lng: f32) (lats: [n]f32) (lngs: [n]f32) : ([]i32, []f32) =
  main 100 lat lng lats lngs
