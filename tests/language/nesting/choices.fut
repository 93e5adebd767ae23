-- The branches of an `if` inside a `map` may return arrays of different sizes.
-- ==
-- input { [3i64, -2i64, 0i64] } output { [3i64, 14i64, 0i64] }
def main (ns: []i64) =
  map (\n -> i64.sum (if n < 0 then replicate (i64.abs n) 7 else iota (n + 0))) ns
