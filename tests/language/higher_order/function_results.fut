-- Functions may return functions.
-- ==
-- input { 3 4 }
-- output { 18 }
def scaled (k: i32) : i32 -> i32 = \x -> k * x

def main (x: i32) (k: i32) =
  let f = scaled k
  in f x + scaled 2 x
