-- A loop may update an array that it carries in place.
-- ==
-- input { 4i64 }
-- output { [0, 1, 4, 9] }
-- input { 0i64 }
-- output { empty([0]i32) }
def main (n: i64) =
  loop squares = replicate n 0 for i < n do squares with [i] = i32.i64 (i * i)
