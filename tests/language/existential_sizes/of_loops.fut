-- An array that grows in a loop has an unknown size after it.
-- ==
-- input { 3i64 }
-- output { [1, 1, 1, 1, 1, 1, 1, 1] }
-- input { 0i64 }
-- output { [1] }
def main (n: i64) = loop xs = [1i32] for _i < n do xs ++ xs
