-- A complete program: the sieve of Eratosthenes, with a loop, a scatter and a filter.
-- ==
-- input { 20i64 }
-- output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64] }
-- input { 1i64 }
-- output { empty([0]i64) }
-- input { 0i64 }
-- output { empty([0]i64) }
def cross_out [n] (flags: *[n]bool) (p: i64) : *[n]bool =
  let count = i64.max 0 ((n + p - 1) / p - 2)
  in scatter flags (map (\i -> (i + 2) * p) (iota count)) (replicate count false)

def main (n: i64) =
  let all_true = tabulate n (>= 2)
  let flags = loop flags = all_true for p in 2..<(i64.max 2 n) do if flags[p] then cross_out flags p else flags
  in filter (\i -> flags[i]) (iota n)
