-- A name that is bound must not be qualified.
-- ==
-- error: E0115.*:5:6
module m = { def one = 1i32 }
def (m.+) (x: i32) (y: i32) = x - y
