-- The sums and sizes of the clusters of points, as k-means needs them: by streams, whose chunks count in place, and by
-- histograms.
-- ==
-- entry: by_chunks by_histograms
-- input { 3i64 [[1f32, 2f32], [3f32, 4f32], [5f32, 6f32], [7f32, 8f32]] [0i64, 2i64, 0i64, 2i64] }
-- output { [[6f32, 8f32], [0f32, 0f32], [10f32, 12f32]] [2, 0, 2] }
-- input { 2i64 empty([0][3]f32) empty([0]i64) }
-- output { [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32]] [0, 0] }

-- ==
-- entry: chunks_of_many histograms_of_many
-- random input { [10000][35]f32 }
-- auto output
-- "large" notest random input { [494019][35]f32 }

-- ==
-- entry: counts_by_chunks counts_by_histogram
-- random input { [100003]u8 }
-- auto output
-- "large" notest random input { [100000000]u8 }

entry by_chunks [n][d] (k: i64) (points: [n][d]f32) (clusters: [n]i64) : ([k][d]f32, [k]i32) =
  let op (s1, n1) (s2, n2) = (map2 (map2 (+)) s1 s2, map2 (+) n1 n2)
  let add c ((sums: *[k][d]f32), (counts: *[k]i32)) (chunk: [c]([d]f32, i64)) =
    (loop (sums, counts) for (p, cluster) in chunk do
       (sums with [cluster] = map2 (+) sums[cluster] p, counts with [cluster] = counts[cluster] + 1),
     (rep () : [c]()))
  in (stream_red op add (replicate k (replicate d 0), replicate k 0) (zip points clusters)).0

entry by_histograms [n][d] (k: i64) (points: [n][d]f32) (clusters: [n]i64) : ([k][d]f32, [k]i32) =
  (hist (map2 (+)) (replicate d 0) k clusters points, hist (+) 0 k clusters (map (\_ -> 1) points))

-- Points belong to clusters in turn.
entry chunks_of_many [n][d] (points: [n][d]f32) : ([5][d]f32, [5]i32) =
  by_chunks 5 points (map (% 5) (iota n))

entry histograms_of_many [n][d] (points: [n][d]f32) : ([5][d]f32, [5]i32) =
  by_histograms 5 points (map (% 5) (iota n))

-- Figure 4c as it stands: nothing but counts.
entry counts_by_chunks [n] (membership: [n]u8) : [256]i32 =
  (stream_red (map2 (+))
              (\c (acc: *[256]i32) (chunk: [c]u8) ->
                 (loop acc for cluster in chunk do acc with [i64.u8 cluster] = acc[i64.u8 cluster] + 1, rep ()))
              (replicate 256 0)
              membership).0

entry counts_by_histogram [n] (membership: [n]u8) : [256]i32 =
  hist (+) 0 256 (map i64.u8 membership) (replicate n 1)
