-- k-means with many features, as in Rodinia: until at most `threshold` points change their cluster.
-- ==
-- entry: main
-- input { 0 2 10 [[0f32, 0f32, 1f32], [5f32, 5f32, 5f32], [0.5f32, 0f32, 1f32], [6f32, 4f32, 5f32]] }
-- output { [[0.25f32, 0f32, 1f32], [5.5f32, 4.5f32, 5f32]] 1i32 }
-- input { 0 2 0 [[0f32, 0f32], [5f32, 5f32]] }
-- output { [[0f32, 0f32], [5f32, 5f32]] 0i32 }
-- input { 0 1 5 [[3f32]] }
-- output { [[3f32]] 1i32 }
-- input { 0 3 5 [[3f32]] }
-- error: .

-- ==
-- entry: eight
-- random input { [1000][35]f32 }
-- auto output
-- random input { [1001][7]f32 }
-- auto output
-- "large" notest random input { [494019][35]f32 }

def distance2 [d] (p: [d]f32) (q: [d]f32) : f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) p q)

-- The index of the nearest centre, the last of equally near ones.
def nearest [k] [d] (centres: [k][d]f32) (p: [d]f32) : i64 =
  let (best, _) =
    loop (best, least) = (0, f32.inf) for i < k do
      let distance = distance2 p centres[i]
      in if distance <= least then (i, distance) else (best, least)
  in best

-- The means of the points of each cluster; a cluster without points lies at the origin.
def means [n] [d] (k: i64) (points: [n][d]f32) (clusters: [n]i64) : [k][d]f32 =
  let sums = hist (map2 (+)) (replicate d 0) k clusters points
  let counts = hist (+) 0 k clusters (replicate n 1)
  in map2 (\sum count -> map (/ f32.i32 (i32.max 1 count)) sum) sums counts

entry main [n] [d] (threshold: i32) (k: i32) (max_iterations: i32) (points: [n][d]f32) : ([][]f32, i32) =
  let k = i64.i32 k
  let (centres, _, _, iterations) =
    loop (centres, clusters, changed, iterations) =
           (take k points, map (% k) (iota n), threshold + 1, 0)
    while changed > threshold && iterations < max_iterations do
      let next = map (nearest centres) points
      let changed = i32.sum (map2 (\a b -> i32.bool (a != b)) clusters next)
      in (means k points next, next, changed, iterations + 1)
  in (centres, iterations)

-- Eight clusters, ten times.
entry eight [n] [d] (points: [n][d]f32) : ([][]f32, i32) = main (-1) 8 10 points
