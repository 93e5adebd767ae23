-- A module is a named collection of definitions.
-- ==
-- input { 3 }
-- output { 13 }
module tens = {
  def base = 10i32
  def add (x: i32) = base + x
}

def main (x: i32) = tens.add x
