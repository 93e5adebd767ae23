-- A size expression may call functions.
-- ==
-- input { 5i64 }
-- output { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] }
-- input { 1i64 }
-- output { [0i64] }
def round_up (n: i64) : i64 = if n <= 1 then 1 else 8

def main (n: i64) : [round_up n]i64 = iota (round_up n)
