-- How often each number occurs; numbers outside the bins count nowhere.
-- ==
-- entry: histogram
-- input { 5i64 [0i32, 2i32, 2i32, 5i32, -1i32, 1i32, 2i32, 4i32] }
-- output { [1i32, 1i32, 3i32, 0i32, 1i32] }
-- input { 0i64 [0i32, 2i32, 2i32, 5i32, -1i32, 1i32, 2i32, 4i32] }
-- output { empty([0]i32) }
-- input { 3i64 empty([0]i32) }
-- output { [0i32, 0i32, 0i32] }

-- ==
-- entry: histogram_u8
-- random input { [100003]u8 }
-- auto output
-- random input { [1]u8 }
-- auto output
-- "large" notest random input { [100000000]u8 }

-- ==
-- entry: weighted
-- input { 5i64 [0i32, 2i32, 2i32, 5i32, -1i32, 1i32, 2i32, 4i32] [0.5f32, 1.0f32, 2.0f32, 4.0f32, 8.0f32,
--   16.0f32, 32.0f32, 64.0f32] }
-- output { [0.5f32, 16.0f32, 35.0f32, 0.0f32, 64.0f32] }

entry histogram [n] (bins: i64) (is: [n]i32) : [bins]i32 =
  hist (+) 0 bins (map i64.i32 is) (replicate n 1)

entry histogram_u8 [n] (is: [n]u8) : [256]i32 =
  hist (+) 0 256 (map i64.u8 is) (replicate n 1)

entry weighted [n] (bins: i64) (is: [n]i32) (weights: [n]f32) : [bins]f32 =
  hist (+) 0 bins (map i64.i32 is) weights
