-- A failed check inside a nest ends the run with an error for the failing element.
-- ==
-- input { [2i64, 3i64] [1i64, 2i64, 3i64] } output { [3i64, 6i64] }
-- input { [2i64, 4i64] [1i64, 2i64, 3i64] } error: out of bounds
-- input { [2i64, -1i64] [1i64, 2i64, 3i64] } error: Range
def main (ns: []i64) (xs: []i64) = map (\n -> i64.sum (map (\i -> xs[i]) (0..1..<n))) ns
