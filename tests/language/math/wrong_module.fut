-- A function of one module takes numbers of that type only.
-- ==
-- error: E0201.*:4:30
def main (x: f64) = f32.sqrt x
