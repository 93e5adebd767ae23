-- `a..>b` counts down from `a`, excluding `b`.
-- ==
-- input { 3i64 0i64 }
-- output { [3i64, 2i64, 1i64] }
-- input { 0i64 0i64 }
-- output { empty([0]i64) }
def main (a: i64) (b: i64) = a..>b
