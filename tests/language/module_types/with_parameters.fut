-- For an abstract type with parameters, `with` gives a definition with parameters.
-- ==
-- input { 4 5 }
-- output { 20 }
module type container = {
  type many 'a
  val both 'a : a -> a -> many a
  val fold 'a : (a -> a -> a) -> many a -> a
}
module pairs : container with many 'e = (e, e) = {
  type many 'a = (a, a)
  def both x y = (x, y)
  def fold f (x, y) = f x y
}

def main (x: i32) (y: i32) = pairs.fold (*) (x, y)
