-- The inner product: two arrays read, one number kept.
-- ==
-- entry: dot_f32
-- input { [0.0f32, 1.0f32, -2.5f32, 100.0f32] [1.0f32, 2.0f32, 3.0f32, 4.0f32] }
-- output { 394.5f32 }
-- input { empty([0]f32) empty([0]f32) }
-- output { 0.0f32 }
-- random input { [10007]f32 [10007]f32 }
-- auto output
-- "large" notest random input { [50000000]f32 [50000000]f32 }

-- ==
-- entry: dot_f64
-- input { [0.0f64, 1.0f64, -2.5f64, 100.0f64] [1.0f64, 2.0f64, 3.0f64, 4.0f64] }
-- output { 394.5f64 }
-- input { empty([0]f64) empty([0]f64) }
-- output { 0.0f64 }
-- random input { [10007]f64 [10007]f64 }
-- auto output
-- "large" notest random input { [50000000]f64 [50000000]f64 }

entry dot_f32 [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

entry dot_f64 [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
