-- Tuples and records may contain functions.
-- ==
-- input { 10 }
-- output { 11 5 20 }
def main (x: i32) =
  let ops = {next = \y -> y + 1, half = \y -> y / 2}
  let pair = (\y -> y * 2, x)
  in (ops.next x, ops.half x, pair.0 pair.1)
