-- A name that is bound has no module in front of it.
-- ==
-- error: E0115.*:5:6
module m = { def one = 1i32 }
def (m.+) (x: i32) (y: i32) = x - y
