-- A size expression that binds a name gives a size that is unknown to the type checker, with a warning.
-- ==
-- warning: W0006.*:6:35
-- input { 3i64 }
-- output { 25i64 }
def main (n: i64) = length (iota (let m = n + 2 in m * m))
