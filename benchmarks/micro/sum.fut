-- The sum of all elements.
-- ==
-- entry: sum_f32
-- input { [1.0f32, -2.0f32, 300.0f32, 4.0f32] }
-- output { 303.0f32 }
-- input { empty([0]f32) }
-- output { 0.0f32 }
-- random input { [100003]f32 }
-- auto output
-- "large" notest random input { [100000000]f32 }

-- ==
-- entry: sum_f64
-- input { [1.0f64, -2.0f64, 300.0f64, 4.0f64] }
-- output { 303.0f64 }
-- input { empty([0]f64) }
-- output { 0.0f64 }
-- random input { [100003]f64 }
-- auto output
-- "large" notest random input { [50000000]f64 }

-- ==
-- entry: sum_i32
-- input { [1i32, -2i32, 300i32, 4i32] }
-- output { 303i32 }
-- input { empty([0]i32) }
-- output { 0i32 }
-- input { [2147483647i32, 1i32] }
-- output { -2147483648i32 }
-- random input { [100003]i32 }
-- auto output
-- "large" notest random input { [100000000]i32 }

entry sum_f32 [n] (xs: [n]f32) : f32 = reduce (+) 0 xs

entry sum_f64 [n] (xs: [n]f64) : f64 = reduce (+) 0 xs

entry sum_i32 [n] (xs: [n]i32) : i32 = reduce (+) 0 xs
