-- Streams may be nested inside a map, and inside the function of another stream.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [6, 15] [[1, 3, 6], [4, 9, 15]] [[2, 4, 6], [8, 10, 12]] 21 }
-- input { empty([0][3]i32) }
-- output { empty([0]i32) empty([0][3]i32) empty([0][3]i32) 0 }
def sums [n] (xs: [n]i32) = stream_seq (\_ acc chunk -> (acc + i32.sum chunk, map (+ acc) (scan (+) 0 chunk))) 0 xs

def main [n] (xss: [n][3]i32) =
  let (totals, prefixes) = unzip (map sums xss)
  let doubled = map (\xs -> stream_map (\_ chunk -> map (* 2) chunk) xs) xss
  let inner acc rows = map (\row -> (stream_red (+) (\_ a c -> (a + i32.sum c, rep ())) 0 row).0) rows |> i32.sum |> (+ acc)
  let (whole, _) = stream_red (+) (\c acc (rows: [c][3]i32) -> (inner acc rows, rep ())) 0 xss
  in (totals, prefixes, doubled, whole)
