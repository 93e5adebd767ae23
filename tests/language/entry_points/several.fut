-- A program may have several entry points, declared with `entry`; each test block names those that it tests.
-- ==
-- entry: double
-- input { 4 }
-- output { 8 }
-- input { 0 }
-- output { 0 }

-- ==
-- entry: half quarter_of_double
-- input { 4 }
-- output { 2 }
entry double (x: i32) = 2 * x
entry half (x: i32) = x / 2
entry quarter_of_double (x: i32) = half (half (double x))
