-- Map and reduce over rows of very different lengths, all of whose elements are computed: for each length `m`, the sum of
-- 1 / (1 + x j + j^2) over all j below m.
-- ==
-- entry: main
-- input { [3, 0, 1] [1.0f32, 2.0f32, 3.0f32] }
-- output { [1.4761904f32, 0.0f32, 1.0f32] }
-- input { empty([0]i32) empty([0]f32) }
-- output { empty([0]f32) }

entry main [n] (lengths: [n]i32) (xs: [n]f32) : [n]f32 =
  map2 (\m x ->
          let term j = let y = f32.i64 j in 1 / (1 + x * y + y * y)
          in f32.sum (map term (iota (i64.i32 m))))
       lengths xs
