-- The module `f16` has the functions of the other float modules.
-- ==
-- input { 9.0f16 }
-- output { 3.0f16 9.0f16 1.0f16 }
def main (x: f16) = (f16.sqrt x, f16.abs (-x), f16.exp (x - x))
