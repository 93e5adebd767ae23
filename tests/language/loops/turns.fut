-- Loop parameters that start with the same size and are exchanged keep that size.
-- ==
-- entry: swap
-- input { [1, 2] [3, 4] 3 }
-- output { [3, 4] [1, 2] }
-- input { empty([0]i32) empty([0]i32) 1 }
-- output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: rotate
-- input { [1, 2] [3, 4] 2 }
-- output { [3, 4] [4, 5] [2, 3] }

entry swap [n] (xs: [n]i32) (ys: [n]i32) (rounds: i32) : ([n]i32, [n]i32) =
  loop (a, b) = (xs, ys) for _i < rounds do (b, a)

entry rotate [n] (xs: [n]i32) (ys: [n]i32) (rounds: i32) : ([n]i32, [n]i32, [n]i32) =
  loop (a, b, c) = (xs, ys, ys) for _i < rounds do (c, map (+ 1) a, b)
