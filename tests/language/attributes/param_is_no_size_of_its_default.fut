-- A tuning parameter need not have its default value, so that the two are different sizes.
-- ==
-- error: E0301.*:5:3
entry main (n: i64) (xs: [n]i64) : [n]i64 =
  iota (#[param(width)] n)
