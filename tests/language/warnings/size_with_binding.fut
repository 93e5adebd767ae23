-- A size that binds a name of its own is not known to types, which the compiler says.
-- ==
-- warning: W0006.*:6:35
-- input { 3i64 }
-- output { 25i64 }
def main (n: i64) = length (iota (let m = n + 2 in m * m))
