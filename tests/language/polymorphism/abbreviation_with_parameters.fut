-- A type abbreviation may have type parameters; a use gives an argument for each of them.
-- ==
-- input { 1 2.5 }
-- output { 2.5 1 }
type pair 'a 'b = {left: a, right: b}

def turn 'a 'b (p: pair a b) : pair b a = {left = p.right, right = p.left}

def main (x: i32) (y: f64) =
  let p = turn {left = x, right = y}
  in (p.left, p.right)
