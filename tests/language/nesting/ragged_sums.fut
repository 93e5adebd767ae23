-- The size of an array inside a `map` may differ from element to element.
-- ==
-- input { [3i64, 0i64, 4i64] } output { [3i64, 0i64, 6i64] }
-- input { [0i64, 0i64] } output { [0i64, 0i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [1i64] } output { [0i64] }
def main (ns: []i64) = map (\n -> i64.sum (iota n)) ns
