-- Modules may contain other modules.
-- ==
-- input { 3 }
-- output { 6 }
module outer = {
  module inner = { def factor = 2i32 }
  def scale (x: i32) = inner.factor * x
}

def main (x: i32) = if outer.inner.factor == 2 then outer.scale x else 0
