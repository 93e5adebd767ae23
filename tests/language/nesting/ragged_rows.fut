-- Rows of different lengths are represented by one array of all elements and the offset at which each row starts.
-- ==
-- input { [0i64, 2i64, 2i64, 5i64] [1f64, 2f64, 3f64, 4f64, 5f64] [2i64, 0i64, 1i64, 1i64, 2i64] [10f64, 20f64, 30f64] }
-- output { [50f64, 0f64, 290f64] }
-- input { [0i64, 0i64] empty([0]f64) empty([0]i64) [1f64] }
-- output { [0f64] }
def main [n] [k] (starts: [n]i64) (values: [k]f64) (columns: [k]i64) (x: []f64) : []f64 =
  map (\i ->
         let part 't (all: [k]t) = all[starts[i]:starts[i + 1]]
         in f64.sum (map2 (\v c -> v * x[c]) (part values) (part columns)))
      (iota (n - 1))
