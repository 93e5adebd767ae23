-- `a.b` is a field of the value `a` or a member of the module `a`: values and modules share one namespace.
-- ==
-- input { 3 }
-- output { 3 7 }
module m = { def b = 7i32 }

def main (x: i32) =
  let a = {b = x}
  in (a.b, m.b)
