-- A size-lifted type parameter stands for arrays of any size, which may differ between its results.
-- ==
-- input { [1, 2, 3, 0] }
-- output { [1, 2, 3] [2, 3] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
def both '~a (swapped: bool) (f: () -> a) (g: () -> a) : (a, a) =
  if swapped then (g (), f ()) else (f (), g ())

def main (xs: []i32) = both false (\() -> filter (> 0) xs) (\() -> filter (> 1) xs)
