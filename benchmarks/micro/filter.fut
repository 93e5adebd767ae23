-- The elements below a limit, and both kinds apart. Random elements lie between 0 and 1.
-- ==
-- entry: filter_below
-- input { 0.5f32 [0.5f32, 0.25f32, 0.75f32, 0.1f32, 0.9f32, 0.5f32] }
-- output { [0.25f32, 0.1f32] }
-- input { 0.0f32 [0.5f32, 0.25f32, 0.75f32, 0.1f32, 0.9f32, 0.5f32] }
-- output { empty([0]f32) }
-- input { 2.0f32 [0.5f32, 0.25f32, 0.75f32, 0.1f32, 0.9f32, 0.5f32] }
-- output { [0.5f32, 0.25f32, 0.75f32, 0.1f32, 0.9f32, 0.5f32] }
-- input { 0.5f32 empty([0]f32) }
-- output { empty([0]f32) }
-- random input { f32 [10007]f32 }
-- auto output
-- "large" notest random input { f32 [50000000]f32 }

-- ==
-- entry: partition_below
-- input { 0.5f32 [0.5f32, 0.25f32, 0.75f32, 0.1f32, 0.9f32, 0.5f32] }
-- output { [0.25f32, 0.1f32] [0.5f32, 0.75f32, 0.9f32, 0.5f32] }
-- input { 0.5f32 empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) }
-- random input { f32 [10007]f32 }
-- auto output
-- "large" notest random input { f32 [50000000]f32 }

entry filter_below [n] (limit: f32) (xs: [n]f32) : []f32 =
  filter (< limit) xs

entry partition_below [n] (limit: f32) (xs: [n]f32) : ([]f32, []f32) =
  partition (< limit) xs
