-- A size parameter `[n]` names the size of an argument, and is a value of type `i64` in the body.
-- ==
-- input { [4, 5, 6] }
-- output { 3i64 }
-- input { [4] }
-- output { 1i64 }
-- input { empty([0]i32) }
-- output { 0i64 }
def main [n] (_: [n]i32) = n
