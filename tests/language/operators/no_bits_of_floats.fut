-- The bitwise operators apply only to integers; `f32.to_bits` gives the bits of a float.
-- ==
-- error: E0201.*:4:21
def main (x: f32) = x & x
