-- A loop parameter that is exchanged with one whose size changes has no fixed size either.
-- ==
-- error: E0301.*:5:3
entry main [n] (xs: [n]i32) (ys: [n]i32) (rounds: i32) : ([n]i32, [n]i32) =
  loop (a, b) = (xs, ys) for _i < rounds do (b, drop 1 a)
