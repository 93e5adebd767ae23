-- A failed check in a chunk ends the run, and the first failing chunk is reported.
-- ==
-- input { [1, 2, 3] }
-- output { [1, 2, 3] }
-- input { [1, -2, 3] }
-- error: Assertion is false: x >= 0
def main (xs: []i32) =
  stream_map (\_ chunk -> map (\x -> assert (x >= 0) x) chunk) xs
