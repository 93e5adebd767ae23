-- The function of a `map` may return arrays whose size comes from outside.
-- ==
-- input { [1i64, 5i64] }
-- output { [[1i64, 2i64], [5i64, 6i64]] }
-- input { empty([0]i64) }
-- output { empty([0][2]i64) }
def main (xs: []i64) = map (\x -> map (+ x) (iota 2)) xs
