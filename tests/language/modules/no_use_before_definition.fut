-- A module is in scope only after its definition.
-- ==
-- error: E0202.*:4:21
def main (x: i32) = m.next x

module m = { def next (x: i32) = x + 1 }
