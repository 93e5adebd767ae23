-- A triangular loop: for every point on a line, the sum of potentials of the points before it.
-- ==
-- entry: main
-- input { [0.0f32, 1.0f32, 3.0f32] [1.0f32, 2.0f32, 5.0f32] }
-- output { [0.0f32, 0.5f32, 0.5f32] }
-- input { empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) }
-- input { [4.0f32] [4.0f32] }
-- output { [0.0f32] }

entry main [n] (xs: [n]f32) (charges: [n]f32) : [n]f32 =
  tabulate n (\i ->
    let potential x charge = let d = xs[i] - x in charge / (1 + d * d)
    in f32.sum (map2 potential xs[:i] charges[:i]))
