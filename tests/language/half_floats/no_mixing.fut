-- An operation cannot mix half floats with other floats.
-- ==
-- error: E0201.*:4:34
def main (x: f16) (y: f32) = x + y
