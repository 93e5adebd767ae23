-- The step of a slice may be as large as an `i64` allows: the first element is taken, and no index overflows.
-- ==
-- entry: every
-- input { 9223372036854775807i64 [1, 2, 3] }
-- output { [1] }
-- input { -9223372036854775808i64 [1, 2, 3] }
-- output { [3] }
-- input { 9223372036854775807i64 empty([0]i32) }
-- output { empty([0]i32) }
-- input { 2i64 [1, 2, 3] }
-- output { [1, 3] }

-- ==
-- entry: between
-- input { 0i64 2i64 9223372036854775807i64 [1, 2, 3] }
-- output { [1] }
-- input { 2i64 -1i64 -9223372036854775808i64 [1, 2, 3] }
-- output { [3] }
-- input { -9223372036854775808i64 9223372036854775807i64 4611686018427387904i64 [1, 2, 3] }
-- error: out of bounds
-- input { 9223372036854775807i64 -9223372036854775808i64 -1i64 [1, 2, 3] }
-- error: out of bounds
-- input { 0i64 9223372036854775807i64 9223372036854775807i64 [1, 2, 3] }
-- output { [1] }
-- input { 0i64 9223372036854775807i64 9223372036854775806i64 [1, 2, 3] }
-- error: out of bounds

-- ==
-- entry: of_many
-- input { 9223372036854775807i64 2i64 }
-- output { 4611686018427387904i64 }
-- input { 9223372036854775807i64 -2i64 }
-- output { 4611686018427387904i64 }
-- input { 9223372036854775807i64 9223372036854775806i64 }
-- output { 2i64 }
-- input { 9223372036854775807i64 -9223372036854775808i64 }
-- output { 1i64 }

-- ==
-- entry: in_map
-- input { [9223372036854775807i64, 1i64, -9223372036854775808i64] [1, 2, 3] }
-- output { [1, 6, 3] }
entry every (step: i64) (xs: []i32) : []i32 = xs[::step]

entry between (i: i64) (j: i64) (step: i64) (xs: []i32) : []i32 = xs[i:j:step]

entry of_many (n: i64) (step: i64) : i64 = length (iota n)[::step]

entry in_map (steps: []i64) (xs: []i32) : []i32 = map (\step -> i32.sum xs[::step]) steps
