-- Abstract types may have parameters.
-- ==
-- input { 4 true }
-- output { 4 true }
module type box = {
  type t 'a
  val put 'a : a -> t a
  val get 'a : t a -> a
}
module pair_box : box = {
  type t 'a = (a, a)
  def put x = (x, x)
  def get (x, _) = x
}

def main (x: i32) (b: bool) = (pair_box.get (pair_box.put x), pair_box.get (pair_box.put b))
