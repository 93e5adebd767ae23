-- The function of `stream_red` may overwrite its accumulator, private to its chunk; without an array, it returns `rep ()`.
-- ==
-- input { 3i64 [0i64, 2i64, 1i64, 2i64, 2i64] }
-- output { [1, 1, 3] }
-- input { 2i64 empty([0]i64) }
-- output { [0, 0] }
-- random input { 17i64 [10000]i64 }
-- auto output
def main [n] (k: i64) (membership: [n]i64) : [k]i32 =
  let (counts, _) =
    stream_red (map2 (+))
               (\c (acc: *[k]i32) (chunk: [c]i64) ->
                  (loop acc for cluster in chunk do
                     let at = i64.min (k - 1) (i64.max 0 (cluster % k))
                     in acc with [at] = acc[at] + 1,
                   rep ()))
               (replicate k 0)
               membership
  in counts
