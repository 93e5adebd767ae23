-- The elements of an array may be tuples; indexing then yields a tuple.
-- ==
-- input { [1, 2] [3.0, 4.0] }
-- output { 2 4.0 }
def main [n] (xs: [n]i32) (ys: [n]f64) =
  let ts = zip xs ys
  in ts[1]
