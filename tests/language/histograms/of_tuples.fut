-- The values of a histogram may be tuples: here, a count and a sum for each bin.
-- ==
-- input { [0i64, 1i64, 0i64] [5, 6, 7] }
-- output { [2, 1] [12, 6] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [0, 0] [0, 0] }
def main [n] (is: [n]i64) (vs: [n]i32) =
  let add (a, b) (c, d) = (a + c, b + d)
  in hist add (0i32, 0i32) 2 is (map (\v -> (1, v)) vs) |> unzip
