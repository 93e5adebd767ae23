-- The parameter of a function may be a function that takes a function itself.
-- ==
-- input { 2 }
-- output { 9 }
def with_next (g: (i32 -> i32) -> i32) : i32 = g (+ 1)

def main (x: i32) = with_next (\f -> f x * f x)
