-- A chunk function that overwrites its accumulator declares it with `*`; the initial array is not changed.
-- ==
-- input { [0i64, 2i64, 2i64] }
-- output { [11, 10, 12] [10, 10, 10] }
def main [n] (is: [n]i64) =
  let first = [10, 10, 10]
  let add c (acc: *[3]i32) (chunk: [c]i64) =
    (loop acc for i in chunk do acc with [i] = acc[i] + 1, (rep () : [c]()))
  let (counts, _) = stream_seq add first is
  in (counts, first)
