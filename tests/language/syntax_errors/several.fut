-- The compiler reports the errors of several declarations in one run.
-- ==
-- error: E0110.*:5:1.*E0110.*:6:25
def first (x: i32) = x +
def second (x: i32) = x + 1
def third (x: i32) = (x }
