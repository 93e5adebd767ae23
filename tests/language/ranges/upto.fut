-- `a..<b` counts up from `a`, excluding `b`.
-- ==
-- input { 1 4 }
-- output { [1, 2, 3] }
-- input { 4 4 }
-- output { empty([0]i32) }
def main (a: i32) (b: i32) = a..<b
