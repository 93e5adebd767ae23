-- The types of the result may be defined by those of the parameter, even swapped.
-- ==
-- input { true 3 }
-- output { true 3 }
module type pair = { type a type b val pair : a -> b -> (a, b) }
module swap (p: pair) : pair with a = p.b with b = p.a = {
  type a = p.b
  type b = p.a
  def pair (x: a) (y: b) = let (y, x) = p.pair y x in (x, y)
}
module plain = { type a = i32 type b = bool def pair (x: a) (y: b) = (x, y) }
module swapped = swap (swap (swap plain))

def main (x: bool) (y: i32) = swapped.pair x y
