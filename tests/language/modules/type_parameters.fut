-- The types of a module may have parameters.
-- ==
-- input { [1, 2] }
-- output { 2 1 }
module pairs = {
  type pair 'a = {fst: a, snd: a}
  def of_array 'a (xs: [2]a) : pair a = {fst = xs[0], snd = xs[1]}
  def swap 'a (p: pair a) : pair a = {fst = p.snd, snd = p.fst}
}

def main (xs: [2]i32) =
  let p: pairs.pair i32 = pairs.swap (pairs.of_array xs)
  in (p.fst, p.snd)
