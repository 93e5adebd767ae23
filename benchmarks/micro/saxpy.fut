-- A scaled array added to another: two arrays read, one written.
-- ==
-- entry: saxpy_f32
-- input { 0.5f32 [0.0f32, 1.0f32, -2.5f32, 100.0f32] [1.0f32, 2.0f32, 3.0f32, 4.0f32] }
-- output { [1.0f32, 2.5f32, 1.75f32, 54.0f32] }
-- input { 2.0f32 empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) }
-- random input { f32 [10007]f32 [10007]f32 }
-- auto output
-- "large" notest random input { f32 [50000000]f32 [50000000]f32 }

-- ==
-- entry: saxpy_f64
-- input { 0.5f64 [0.0f64, 1.0f64, -2.5f64, 100.0f64] [1.0f64, 2.0f64, 3.0f64, 4.0f64] }
-- output { [1.0f64, 2.5f64, 1.75f64, 54.0f64] }
-- input { 2.0f64 empty([0]f64) empty([0]f64) }
-- output { empty([0]f64) }
-- random input { f64 [10007]f64 [10007]f64 }
-- auto output
-- "large" notest random input { f64 [50000000]f64 [50000000]f64 }

entry saxpy_f32 [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 =
  map2 (\x y -> a * x + y) xs ys

entry saxpy_f64 [n] (a: f64) (xs: [n]f64) (ys: [n]f64) : [n]f64 =
  map2 (\x y -> a * x + y) xs ys
