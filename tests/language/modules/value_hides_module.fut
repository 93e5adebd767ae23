-- An opened value shadows a module of the same name.
-- ==
-- input { 2 }
-- output { 5 }
module position = { def x = 1i32 }
module places = { def position = {x = 3i32} }
open places

def main (x: i32) = x + position.x
