-- One multiplication and one addition an element: as fast as memory gives and takes.
-- ==
-- entry: map_f32
-- input { [0.0f32, 1.0f32, -2.5f32, 100.0f32] }
-- output { [1.0f32, 3.0f32, -4.0f32, 201.0f32] }
-- input { empty([0]f32) }
-- output { empty([0]f32) }
-- input { [3.0f32] }
-- output { [7.0f32] }
-- random input { [10007]f32 }
-- auto output
-- "large" notest random input { [100000000]f32 }

-- ==
-- entry: map_f64
-- input { [0.0f64, 1.0f64, -2.5f64, 100.0f64] }
-- output { [1.0f64, 3.0f64, -4.0f64, 201.0f64] }
-- input { empty([0]f64) }
-- output { empty([0]f64) }
-- input { [3.0f64] }
-- output { [7.0f64] }
-- random input { [10007]f64 }
-- auto output
-- "large" notest random input { [50000000]f64 }

entry map_f32 [n] (xs: [n]f32) : [n]f32 = map (\x -> 2 * x + 1) xs

entry map_f64 [n] (xs: [n]f64) : [n]f64 = map (\x -> 2 * x + 1) xs
