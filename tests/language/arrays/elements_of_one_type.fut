-- Elements of different types do not make an array.
-- ==
-- error: E0201.*:4:34
def main (x: i32) (y: f32) = [x, y]
