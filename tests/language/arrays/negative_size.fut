-- An array cannot have a negative size.
-- ==
-- input { -1i64 }
-- error: .
-- input { 0i64 }
-- output { empty([0]i32) }
def main (n: i64) = replicate n 0i32
