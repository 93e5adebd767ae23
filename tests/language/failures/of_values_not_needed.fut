-- The checks of an unused value may be removed with it, but those beside a used value in a body that runs remain.
-- ==
-- entry: of_a_pair
-- input { 0i64 3i64 } output { 3i64 }
-- input { 4i64 3i64 } output { 3i64 }
entry of_a_pair (n: i64) (i: i64) : i64 = (i, map (\k -> assert (k < n) k) (iota (i + 1))).0
-- ==
-- entry: beside
-- input { 0i64 3i64 } error: .
-- input { 4i64 3i64 } output { 3i64 }
entry beside (n: i64) (i: i64) : i64 = (i, assert (i < n) 1i64).0
