-- A module is not a value: where a value is expected, its name is not in scope.
-- ==
-- error: E0202.*:6:12
module m = { def x = 1i32 }

def main = m
