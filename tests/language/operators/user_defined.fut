-- In its definition, an operator is written between its operands, or in parentheses before them.
-- ==
-- input { 1 2 3 4 }
-- output { 4 6 -2 -2 }
def (a: i32, b: i32) +^ (c: i32, d: i32) = (a + c, b + d)
def (-^) (x: (i32, i32)) (y: (i32, i32)) = (x.0 - y.0, x.1 - y.1)

def main (a: i32) (b: i32) (c: i32) (d: i32) =
  let (e, f) = (a, b) +^ (c, d)
  let (g, h) = (a, b) -^ (c, d)
  in (e, f, g, h)
