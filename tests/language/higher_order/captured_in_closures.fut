-- A function value keeps the variables that it captured, wherever it is passed.
-- ==
-- input { 2 [1, 2, 3] }
-- output { [12, 14, 16] }
def compose '^a '^b '^c (f: b -> c) (g: a -> b) : a -> c = \x -> f (g x)

def main (k: i32) (xs: []i32) =
  let add = \y -> y + 10
  let scale = \y -> y * k
  in map (compose add scale) xs
