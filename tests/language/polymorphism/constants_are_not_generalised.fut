-- A number without a suffix has one type in a definition without parameters: `i32` or `f64`, unless the definition determines it.
-- ==
-- error: E0201.*:6:25
def one = 1

def main (x: f32) = x + one
