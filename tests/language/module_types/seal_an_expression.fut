-- `e : t` seals a module expression.
-- ==
-- error: E0202.*:8:20
module type small = { val x : i32 }
module big = { def x = 1i32 def y = 2i32 }
module m = big : small

def main = m.x + m.y
