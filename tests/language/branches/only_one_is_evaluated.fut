-- Only the chosen branch is evaluated.
-- ==
-- input { [7] 0i64 }
-- output { 7 }
-- input { [7] 3i64 }
-- output { -1 }
-- input { empty([0]i32) 0i64 }
-- output { -1 }
def main [n] (xs: [n]i32) (i: i64) = if i >= 0 && i < n then xs[i] else -1
