-- `stream_seq` passes a value from chunk to chunk, in order.
-- ==
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] }
-- output { 14i64 [3i64, 4i64, 8i64, 9i64, 14i64] }
-- input { empty([0]i64) }
-- output { 0i64 empty([0]i64) }
def main (xs: []i64) =
  stream_seq (\_ acc chunk ->
                let sums = scan (+) 0 chunk
                in (acc + i64.sum chunk, map (+ acc) sums))
             0 xs
