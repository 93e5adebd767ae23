-- The result of a `filter` inside a `map` may have a different size for each element.
-- ==
-- input { [10i64, 0i64, 7i64] } output { [18i64, 0i64, 9i64] [3i64, 0i64, 2i64] }
def main (ns: []i64) =
  unzip (map (\n ->
                let kept = filter (\i -> i % 3 == 0 && i > 0) (iota n)
                in (i64.sum kept, length kept))
             ns)
