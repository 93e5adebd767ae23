-- `m.(e)` evaluates `e` with the names of `m` in scope.
-- ==
-- input { 9.0 }
-- output { 4.0 }
def main (x: f64) = f64.(sqrt x + abs (-1))
