-- The elements, results and accumulators of streams may be of any type, including tuples and arrays.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] [1f32, 2f32, 3f32] }
-- output { [9, 12] 3f32 [3f32, 14f32, 33f32] }
-- input { empty([0][2]i32) empty([0]f32) }
-- output { [0, 0] 0f32 empty([0]f32) }
def main [n] (xss: [n][2]i32) (ys: [n]f32) =
  let op (a, x) (b, y) = (map2 (+) a b, f32.max x y)
  let of_chunk c acc (pairs: [c]([2]i32, f32)) =
    let (rows, vs) = unzip pairs
    let total = (map i32.sum (transpose rows), f32.maximum ([0] ++ vs))
    in (op acc total, map2 (\row v -> f32.i32 (i32.sum row) * v) rows vs)
  let ((sums, most), products) = stream_red op of_chunk ([0, 0], 0) (zip xss ys)
  in (sums, most, products)
