-- A polymorphic function takes the operations that it needs as arguments.
-- ==
-- input { [3, 1, 2] }
-- output { 3 }
-- input { [-5] }
-- output { -5 }
def extreme 'a [n] (better: a -> a -> bool) (xs: [n]a) : a =
  foldl (\best x -> if x `better` best then x else best) (head xs) (tail xs)

def main (xs: []i32) = extreme (>) xs
