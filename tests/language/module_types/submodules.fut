-- A module type may specify modules.
-- ==
-- input { 2 }
-- output { 6 }
module type has_inner = { module inner : { val factor : i32 } }
module m : has_inner = { module inner = { def factor = 3i32 def hidden = 4i32 } }

def main (x: i32) = x * m.inner.factor
