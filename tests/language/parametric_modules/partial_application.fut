-- A parametric module with two parameters that is applied to one argument is a parametric module.
-- ==
-- input { 4 }
-- output { 11 }
module type number = { val x : i32 }
module add (a: number) (b: number) = { def sum = a.x + b.x }
module add_three = add { def x = 3i32 }
module result = add_three { def x = 8i32 }

def main (x: i32) = result.sum * (x - 3)
