-- A module is a collection of definitions under a name.
-- ==
-- input { 3 }
-- output { 13 }
module tens = {
  def base = 10i32
  def add (x: i32) = base + x
}

def main (x: i32) = tens.add x
