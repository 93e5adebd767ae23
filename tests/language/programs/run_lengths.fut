-- A complete program: the lengths of runs of equal elements, with a scan and histograms.
-- ==
-- input { [7, 7, 3, 3, 3, 7] }
-- output { [7, 3, 7] [2, 3, 1] }
-- input { [5] }
-- output { [5] [1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
def main [n] (xs: [n]i32) =
  let starts = map (\i -> i == 0 || xs[i] != xs[i - 1]) (iota n)
  let runs = scan (+) 0 (map i64.bool starts)
  let count = if n == 0 then 0 else last runs
  let places = map (\r -> r - 1) runs
  let values = hist i32.max i32.lowest count places xs
  in (values, hist (+) 0 count places (replicate n 1i32))
