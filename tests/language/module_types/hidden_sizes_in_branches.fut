-- Branches may return values with different hidden sizes.
-- ==
-- input { true 4i64 }
-- output { 4i64 }
-- input { false 4i64 }
-- output { 5i64 }
-- input { true 0i64 }
-- output { 0i64 }
module text : { type~ text val blank : i64 -> text val size : text -> i64 } = {
  type~ text = {letters: []u8}
  def blank n = {letters = replicate n 32u8}
  def size (t: text) = length t.letters
}

def main (c: bool) (n: i64) = text.size (if c then text.blank n else text.blank (n + 1))
