-- `#[param(name)]` before an `i64` lets the user of the program set its value; here, a tuning file sets `width` and `rows`.
-- ==
-- entry: constant
-- input { 10i64 } output { 13i64 }

-- ==
-- entry: in_parallel
-- input { 10i64 [1i64, 2] } output { [4i64, 5] }
-- input { 10i64 empty([0]i64) } output { empty([0]i64) }

-- ==
-- entry: of_each
-- input { [5i64, 6] } output { [3i64, 3] }

-- ==
-- entry: in_a_branch
-- input { [5i64, -6] } output { [3i64, 0] }

-- ==
-- entry: not_set
-- input { [5i64, 6] } output { [[7i64, 7], [5i64, 6]] }

-- ==
-- entry: as_a_size
-- input { 10i64 } output { 1i64 [0i64, 1, 2] }
entry constant (x: i64) : i64 = x + #[param(width)] 16

entry in_parallel (x: i64) (ys: []i64) : []i64 = map (\y -> (#[param(width)] x) + y) ys

entry of_each (xs: []i64) : []i64 = map (\x -> #[param(width)] x) xs

entry in_a_branch (xs: []i64) : []i64 = map (\x -> if x > 0 then #[param(width)] x else 0) xs

entry not_set [n] (xs: [n]i64) : [][n]i64 = [map (\_ -> #[param(height)] 7) xs, map (\x -> #[param(height)] x) xs]

entry as_a_size (n: i64) =
  let xs = iota (#[param(width)] n)
  in (#[param(rows)] 5i64, xs)
