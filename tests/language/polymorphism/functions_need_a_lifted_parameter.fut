-- A type parameter declared with `'^` may also stand for a function type.
-- ==
-- input { 3 }
-- output { 4 }
def apply_to '^a '^b (x: a) (f: a -> b) : b = f x

def main (x: i32) = apply_to (\y -> y + 1) (\f -> f x)
