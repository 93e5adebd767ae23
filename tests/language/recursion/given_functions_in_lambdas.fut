-- A recursive function may call itself in a lambda that captures its functional argument.
-- ==
-- input { 0i64 1i64 }
-- output { 0i64 }
-- input { 3i64 1i64 }
-- output { 21i64 }
def grow (f: i64 -> i64) (n: i64) : i64 =
  if n == 0 then 0 else i64.sum (map (\i -> f i + grow f (n - 1)) (iota n))

def main (n: i64) (k: i64) = grow (\i -> i + k) n
