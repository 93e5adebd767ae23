-- `stream_red` makes a value from each chunk and the neutral element, combines these values, and concatenates the chunks' arrays.
-- ==
-- input { [3, 1, 4, 1, 5] }
-- output { 14 [6, 2, 8, 2, 10] }
-- input { empty([0]i32) }
-- output { 0 empty([0]i32) }
def main (xs: []i32) =
  stream_red (+) (\_ acc chunk -> (acc + i32.sum chunk, map (* 2) chunk)) 0 xs
