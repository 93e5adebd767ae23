-- A function of a numeric module accepts only numbers of that module's type.
-- ==
-- error: E0201.*:4:30
def main (x: f64) = f32.sqrt x
