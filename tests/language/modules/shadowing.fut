-- A later definition in a module shadows an opened one.
-- ==
-- input { 5 }
-- output { 50 }
module base = { def scale (x: i32) = x }
module better = {
  open base
  def scale (x: i32) = 10 * base.scale x
}

def main (x: i32) = better.scale x
