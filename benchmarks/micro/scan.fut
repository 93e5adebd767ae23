-- Prefix sums, with the element itself (inclusive) and without (exclusive).
-- ==
-- entry: inclusive_f32
-- input { [3.0f32, 1.0f32, -4.0f32, 1.0f32, 5.0f32, 9.0f32] }
-- output { [3.0f32, 4.0f32, 0.0f32, 1.0f32, 6.0f32, 15.0f32] }
-- input { empty([0]f32) }
-- output { empty([0]f32) }
-- input { [6.0f32] }
-- output { [6.0f32] }
-- random input { [10007]f32 }
-- auto output
-- "large" notest random input { [50000000]f32 }

-- ==
-- entry: inclusive_i32
-- input { [3i32, 1i32, -4i32, 1i32, 5i32, 9i32] }
-- output { [3i32, 4i32, 0i32, 1i32, 6i32, 15i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
-- input { [6i32] }
-- output { [6i32] }
-- random input { [10007]i32 }
-- auto output
-- "large" notest random input { [50000000]i32 }

-- ==
-- entry: exclusive_f32
-- input { [3.0f32, 1.0f32, -4.0f32, 1.0f32, 5.0f32, 9.0f32] }
-- output { [0.0f32, 3.0f32, 4.0f32, 0.0f32, 1.0f32, 6.0f32] }
-- input { empty([0]f32) }
-- output { empty([0]f32) }
-- input { [6.0f32] }
-- output { [0.0f32] }
-- random input { [10007]f32 }
-- auto output
-- "large" notest random input { [50000000]f32 }

-- ==
-- entry: exclusive_i32
-- input { [3i32, 1i32, -4i32, 1i32, 5i32, 9i32] }
-- output { [0i32, 3i32, 4i32, 0i32, 1i32, 6i32] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
-- input { [6i32] }
-- output { [0i32] }
-- random input { [10007]i32 }
-- auto output
-- "large" notest random input { [50000000]i32 }

entry inclusive_f32 [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs

entry inclusive_i32 [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs

entry exclusive_f32 [n] (xs: [n]f32) : [n]f32 = exscan (+) 0 xs

entry exclusive_i32 [n] (xs: [n]i32) : [n]i32 = exscan (+) 0 xs
