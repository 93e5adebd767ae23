-- `#[scratch] e` replaces the arrays of `e` by arrays of the same sizes, to be overwritten completely; scalars are computed.
-- ==
-- input { [3i64, 1, 2] }
-- output { [2i64, 1, 3] [true, true, true] 6i64 [[3i64, 3], [1, 1], [2, 2]] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) 0i64 empty([0][2]i64) }
def main [n] (xs: [n]i64) =
  let places = reverse (iota n)
  let (ys, total) = #[scratch] (replicate n xs[100], i64.sum xs)
  let flags = #[scratch] map (\x -> x / 0 == 1) xs
  in (scatter ys places xs,
      scatter flags places (replicate n true),
      total,
      map (\x -> scatter (#[scratch] [x / 0, xs[100]]) (iota 2) [x, x]) xs)
