-- A value of a sum type has no fields; it is taken apart by `match`.
-- ==
-- error: E0205.*:6:25
type shape = #square {side: i32} | #round {radius: i32}

def main (s: shape) = s.side
