-- The order in which fields are written does not matter.
-- ==
-- input { 1 true }
-- output { true }
type pair = {x: i32, b: bool}

def same (p: {b: bool, x: i32}) (q: pair) = p == q

def main (x: i32) (b: bool) = same {x, b} {b, x}
