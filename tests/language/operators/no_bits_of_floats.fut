-- The bit operators are for integers; the bits of a float are taken by `f32.to_bits`.
-- ==
-- error: E0201.*:4:21
def main (x: f32) = x & x
