-- A chunk function may overwrite one half of an array of pairs whose two halves share storage:
-- the overwritten half is copied first, in the chunk's body and in the accumulators that go from chunk to chunk.
-- ==
-- entry: inside
-- input { [1, 2, 3] } output { [7, 7, 7] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: handed_on
-- input { [1, 2, 3] } output { [6, 0] [6, 6] }
-- input { empty([0]i32) } output { [0, 0] [0, 0] }

-- ==
-- entry: combined
-- input { [1, 2, 3] } output { [6, 0] [1, 1] }
-- input { empty([0]i32) } output { [0, 0] [0, 0] }

type pair = (i32, i32)

#[noinline]
def second [n] [m] (a: [n]([m]pair, [m]pair)) : [m]pair = a[0].1

entry inside [n] (xs: [n]i32) : [n]i32 =
  stream_map (\c (chunk: [c]i32) ->
                let (p, q) = unzip (second (replicate 4 (replicate 2 (1, 2), replicate 2 (3, 4))) with [0] = (0, 5))
                in map (\x -> x - x + i32.sum p + q[1]) chunk)
             xs

entry handed_on [n] (xs: [n]i32) : ([2]i32, [2]i32) =
  let (acc, _) =
    stream_seq (\c (acc: *[2]([2]pair, [2]pair)) (chunk: [c]i32) ->
                  let (sum, _) = acc[0].1[0]
                  let total = sum + i32.sum chunk
                  let b = second acc with [0] = (total, total)
                  in (replicate 2 (copy b, b), chunk))
               (replicate 2 (replicate 2 (0, 0), replicate 2 (0, 0)))
               xs
  let (p, q) = unzip acc[1].0
  in (p, [q[0], p[0]])

entry combined [n] (xs: [n]i32) : ([2]i32, [2]i32) =
  let (acc, _) =
    stream_red (map2 (\(a, b) (c, d) -> (a + c, i32.max b d)))
               (\c (acc: *[2]pair) (chunk: [c]i32) ->
                  let total = acc[0].0 + i32.sum chunk
                  let b = second (replicate 2 (acc, acc)) with [0] = (total, i32.min 1 total)
                  in (b, chunk))
               (replicate 2 (0, 0))
               xs
  let (p, q) = unzip acc
  in (p, [q[0], q[0]])
